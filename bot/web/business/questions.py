"""/ajustes/perguntas: what customers often ask, and what the assistant answers."""

from collections.abc import Callable
from dataclasses import replace

from flask import Response, make_response, render_template, request, url_for
from flask.typing import ResponseReturnValue

from bot.web.business import fields as f
from bot.web.business.shared import Change, Unusable, blueprint, opened, save
from bot.web.shared import request_context
from models import faq
from models.business_file import BusinessFile
from models.business_file.reader import MOST_QUESTIONS
from models.business_file.shape import Question

FIELDS = (f.line("question", "Pergunta", 300), f.prose("answer", "Resposta", 1000))
Questions = list[Question]


@blueprint.get("/perguntas")
def questions() -> ResponseReturnValue:
    return _page()


@blueprint.post("/perguntas")
def save_question() -> ResponseReturnValue:
    """A new one; with `antes` in place of that question."""
    values, wrong = f.read(FIELDS, request.form)
    if not wrong and not values["answer"]:
        wrong = {"answer": "Escreva a resposta."}
    if wrong:
        return _page(wrong=wrong)
    entry = Question(question=values["question"], answer=values["answer"])
    before = request.form.get("antes", "")

    def to(entries: Questions) -> Questions:
        if any(each["question"] == before for each in entries):
            return [entry if each["question"] == before else each for each in entries]
        return [*entries, entry]

    return _changed(to)


@blueprint.post("/perguntas/apagar")
def delete_question() -> ResponseReturnValue:
    before = request.form.get("antes", "")
    return _changed(lambda entries: [each for each in entries if each["question"] != before])


def _changed(to: Callable[[Questions], Questions]) -> ResponseReturnValue:
    def change(file: BusinessFile) -> BusinessFile:
        return replace(file, assistant=replace(file.assistant, faq=to(file.assistant.faq)))

    if len(to(opened().file.assistant.faq)) > MOST_QUESTIONS:
        return _page(problem=f"O limite é de {MOST_QUESTIONS} perguntas. Apague alguma antes.")
    try:
        return save(Change(change, url_for("business.questions")))
    except Unusable as problem:
        return _page(problem=problem.problem)


def _page(*, wrong: dict[str, str] | None = None, problem: str = "") -> Response:
    found = opened()
    again = bool(wrong or problem)
    page = render_template(
        "staff/business/questions.html",
        tenant=request_context.current_tenant(),
        entries=found.file.assistant.faq,
        small=faq.is_small(found.file.assistant.faq),
        fields=FIELDS,
        typed=request.form if again else {"question": request.args.get("pergunta", "")[:300]},
        before=request.form.get("antes", "") if again else "",
        wrong=wrong or {},
        problem=problem,
        version=found.version,
    )
    return make_response(page, 422 if again else 200)
