"""The business file: YAML text, validated, compared with the database, applied.

`parse` or `load` first; then `plan` in a reading transaction or `apply` in a writing one; `render` tells it.
"""

from models.business_file import versions
from models.business_file.compare import Change, FieldChange, Kind
from models.business_file.document import BusinessFileErrors, Code, Problem
from models.business_file.edit import Edit
from models.business_file.export import current, document, export, of_document
from models.business_file.plans import Plan, plan
from models.business_file.reader import load, parse
from models.business_file.report import render
from models.business_file.shape import BusinessFile
from models.business_file.state import lock
from models.business_file.stranded import Stranded
from models.business_file.versions import BusinessVersion, Ids, Source
from models.business_file.writer import apply

__all__ = [
    "BusinessFile",
    "BusinessFileErrors",
    "BusinessVersion",
    "Change",
    "Code",
    "Edit",
    "FieldChange",
    "Ids",
    "Kind",
    "Plan",
    "Problem",
    "Source",
    "Stranded",
    "apply",
    "current",
    "document",
    "export",
    "load",
    "lock",
    "of_document",
    "parse",
    "plan",
    "render",
    "versions",
]
