"""The last words where no more calls are made: what was done, what was not, that a person goes on."""

from bot.llm.rule_based import nlg
from bot.llm.rule_based.nlu.normalise import normalise
from bot.llm.rule_based.nlu.topics import Topic, topics_in
from bot.llm.rule_based.policy.steps import Reply
from bot.llm.rule_based.request import Request

_WRITES = ("agendar ", "remarcar ", "cancelar ")
_PERSON = "chamar_atendente "
# What a person was called for, the graver first.
CALLED = (
    (Topic.EMERGENCY, nlg.EMERGENCY),
    (Topic.UPSET, nlg.UPSET),
    (Topic.HEALTH, nlg.HEALTH),
    (Topic.LATE, nlg.LATE),
    (Topic.AT_THE_DOOR, nlg.LATE),
)


def closing(told: Request) -> Reply:
    done = nlg.done(fact for result in told.results.values() if result.kind == "ok" for fact in result.facts)
    if done:
        return Reply(f"{done}\n\n{nlg.STAFF_COMES}")
    if any(key.startswith(_PERSON) and result.kind == "ok" for key, result in told.results.items()):
        return Reply(called_words(told))
    failed = [key for key, result in told.results.items() if result.kind == "failed"]
    if any(key.startswith(_WRITES) for key in failed):
        return Reply(nlg.UNCLEAR_WRITE)
    return Reply(nlg.FAILED if failed else f"{nlg.UNFINISHED} {nlg.STAFF_COMES}")


def called_words(told: Request) -> str:
    """What is said when a person was called, by what the customer wrote."""
    lines = told.context.lines if told.context else ()
    topics = topics_in(normalise(" ".join(lines)))
    return next((words for topic, words in CALLED if topic in topics), nlg.STAFF_CALLED)
