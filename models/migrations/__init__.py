"""Alembic's folder: `env.py` runs the revisions in `versions/`; `models.schema` is the way in."""
