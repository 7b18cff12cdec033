"""From the text of a business file to its values, or to every error in it at once."""

import datetime as dt
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import phonenumbers
from yaml.nodes import Node

from models.business_file import observance, values
from models.business_file.document import (
    MAX_BYTES,
    BusinessFileErrors,
    Code,
    Problem,
    Problems,
    Section,
    compose,
    entries_of,
    items_of,
    line_of,
    read_scalar,
)
from models.business_file.shape import (
    Assistant,
    Away,
    BusinessFile,
    Closed,
    Hours,
    Offer,
    OwnModel,
    Question,
    Retention,
    Rules,
    Settings,
    Templates,
    UsageLimits,
    Waits,
    Window,
    Worker,
)
from models.business_file.values import Wrong, fold, suggestion
from models.catalog import MINUTES_OF_DAY

FILE_KEYS = (
    "tenant",
    "rules",
    "assistant",
    "faq",
    "templates",
    "handoff",
    "retention",
    "limits",
    "services",
    "professionals",
    "closures",
)
TENANT_KEYS = (
    "slug",
    "name",
    "whatsapp",
    "timezone",
    "address",
    "about",
    "holidays",
    "twilio",
    "buttons",
    "images",
    "model",
)
RULE_KEYS = (
    "slot_step_minutes",
    "min_notice_minutes",
    "horizon_days",
    "cancel_notice_minutes",
    "max_open_appointments",
    "reminders_hours",
    "handoff_hours",
)
TEMPLATE_KEYS = ("reminder", "waitlist_offer", "contact")
HANDOFF_KEYS = ("realert_minutes", "second_text_minutes", "release_minutes", "reopen_minutes")
ASSISTANT_KEYS = ("greeting", "tone", "never_say")
RETENTION_KEYS = ("customers_days", "media_days")
MODEL_KEYS = ("provider", "name", "key_env", "fallback")
PROVIDERS = ("anthropic", "openai", "offline")
LIMIT_KEYS = (
    "customer_runs_per_day",
    "customer_input_tokens_per_day",
    "runs_per_day",
    "input_tokens_per_day",
    "monthly_budget",
)
SERVICE_KEYS = ("name", "duration_minutes", "buffer_minutes", "price", "on_holidays")
PROFESSIONAL_KEYS = ("name", "services", "hours", "time_off")
LIMITS = {  # of the whole numbers, the least and the most
    "slot_step_minutes": (1, MINUTES_OF_DAY),
    "min_notice_minutes": (0, 366 * MINUTES_OF_DAY),
    "horizon_days": (1, 366),
    "cancel_notice_minutes": (0, 366 * MINUTES_OF_DAY),
    "max_open_appointments": (1, 1000),
    "reminders_hours": (1, 336),
    "handoff_realert_minutes": (1, MINUTES_OF_DAY),
    "handoff_second_text_minutes": (1, MINUTES_OF_DAY),
    "handoff_release_minutes": (1, MINUTES_OF_DAY),
    "handoff_reopen_minutes": (1, MINUTES_OF_DAY),
    "retention_customers_days": (30, 3660),  # a slip of the finger must not forget who was here last week
    "retention_media_days": (1, 3660),
    "limit_customer_runs_per_day": (1, 10**8),
    "limit_customer_input_tokens_per_day": (1, 10**8),
    "limit_runs_per_day": (1, 10**8),
    "limit_input_tokens_per_day": (1, 10**8),
    "duration_minutes": (1, MINUTES_OF_DAY),
    "buffer_minutes": (0, MINUTES_OF_DAY),
}
MOST_QUESTIONS, MOST_NEVER_SAY = 200, 30
UNREAD = dt.date.min  # stands in for a date that is a problem already

A = TypeVar("A", Away, Closed)
E = TypeVar("E")

name_of = values.line(120)
reason_of = values.line(200)
greeting_of, tone_of, never_say_of = values.line(300), values.prose(500), values.line(200)
question_of, answer_of = values.line(300), values.prose(1000)


def load(path: Path) -> BusinessFile:
    """Read and parse a file. Raises OSError, BusinessFileErrors."""
    with path.open("rb") as stream:
        data = stream.read(MAX_BYTES + 1)
    try:
        return parse(data.decode())
    except UnicodeDecodeError as error:
        # A cut in the middle of a character is no reason to speak of UTF-8: the file is too large.
        if len(data) > MAX_BYTES:
            return parse(data.decode(errors="replace"))
        line = data.count(b"\n", 0, error.start) + 1
        raise BusinessFileErrors([Problem(line, "the file must be saved as UTF-8")]) from error


def parse(text: str) -> BusinessFile:
    """Everything that `text` says about a business. Raises BusinessFileErrors with all that is wrong."""
    problems = Problems()
    root = Section(problems, compose(text), "the file", FILE_KEYS)
    root.need_node("tenant")
    tenant = root.section("tenant", TENANT_KEYS)
    service_nodes = root.items("services")
    services = _services(problems, service_nodes)
    professionals = _professionals(problems, root.items("professionals"), services)
    settings = _settings(tenant)
    rules = _rules(root.section("rules", RULE_KEYS))
    templates = _templates(root.section("templates", TEMPLATE_KEYS))
    waits = _waits(root.section("handoff", HANDOFF_KEYS))
    retention = _retention(root.section("retention", RETENTION_KEYS))
    own_model = _own_model(tenant.section("model", MODEL_KEYS))
    usage_limits = _usage_limits(root.section("limits", LIMIT_KEYS))
    assistant = _assistant(root)
    closures = _dated(problems, root.items("closures"), _closure)
    problems.raise_if_any()
    _warn_of_services(problems, service_nodes, services, professionals)
    return BusinessFile(
        settings=settings,
        rules=rules,
        templates=templates,
        waits=waits,
        retention=retention,
        own_model=own_model,
        usage_limits=usage_limits,
        assistant=assistant,
        services=services,
        professionals=professionals,
        closures=closures,
        warnings=problems.warnings,
        whatsapp_line=tenant.line_of("whatsapp"),
    )


# Tenant and rules


def _settings(tenant: Section) -> Settings:
    closed_days = observance.read(tenant.section("holidays", observance.KEYS))
    account_sid, token_env = _twilio(tenant.section("twilio", ("account_sid", "auth_token_env")))
    return Settings(
        slug=tenant.need("slug", values.slug, ""),
        name=tenant.need("name", name_of, ""),
        whatsapp=_whatsapp(tenant),
        timezone=tenant.need("timezone", values.zone, ""),
        address=tenant.read("address", values.line(500), ""),
        about=tenant.read("about", values.prose(4000), ""),
        holidays_country=closed_days.country,
        holidays_state=closed_days.state,
        holidays_city=closed_days.city,
        holidays_closed=closed_days.closed,
        holidays_optional=closed_days.optional,
        holidays_open=closed_days.opened,
        twilio_account_sid=account_sid,
        twilio_auth_token_env=token_env,
        buttons=tenant.read("buttons", values.yes_no, False),
        images=tenant.read("images", values.yes_no, False),
    )


def _whatsapp(tenant: Section) -> str:
    number = tenant.need("whatsapp", values.phone, "")
    if number and not phonenumbers.is_valid_number(phonenumbers.parse(number, None)):
        tenant.problems.warn(
            tenant.line_of("whatsapp"), f"{number} is outside the numbers that its country gives out"
        )
    return number


def _twilio(section: Section) -> tuple[str | None, str | None]:
    if not section.present:
        return None, None
    return (
        section.need("account_sid", values.account_sid, ""),
        section.need("auth_token_env", values.variable, ""),
    )


def _own_model(section: Section) -> OwnModel:
    model = OwnModel(
        model_provider=section.read("provider", values.one_of(PROVIDERS), None),
        model_name=section.read("name", name_of, None),
        model_key_env=section.read("key_env", values.variable, None),
        model_fallback=section.read("fallback", values.one_of(PROVIDERS), None),
    )
    if model.model_provider is None and (model.model_name or model.model_key_env):
        section.problems.add(
            section.line, '"model" needs a value for "provider" where it names a model or a key'
        )
    return model


def _usage_limits(section: Section) -> UsageLimits:
    def number(key: str) -> int | None:
        return section.read(key, whole_of(f"limit_{key}"), None)

    return UsageLimits(
        limit_customer_runs_per_day=number("customer_runs_per_day"),
        limit_customer_input_tokens_per_day=number("customer_input_tokens_per_day"),
        limit_runs_per_day=number("runs_per_day"),
        limit_input_tokens_per_day=number("input_tokens_per_day"),
        limit_monthly_budget_cents=section.read("monthly_budget", values.price, None),
    )


def whole_of(name: str) -> Callable[[values.Scalar], int]:
    """The reader of a whole number of LIMITS."""
    return values.whole(*LIMITS[name])


def _rules(section: Section) -> Rules:
    """What the file does not say is as in a new tenant."""
    default = Rules()

    def number(key: str) -> int:
        return section.read(key, whole_of(key), int(getattr(default, key)))

    rules = Rules(
        slot_step_minutes=number("slot_step_minutes"),
        min_notice_minutes=number("min_notice_minutes"),
        horizon_days=number("horizon_days"),
        cancel_notice_minutes=number("cancel_notice_minutes"),
        max_open_appointments=number("max_open_appointments"),
        reminders_hours=_reminders(section),
        handoff_hours=by_weekday(_hours(section, "handoff_hours", '"handoff_hours"')),
    )
    _check_notice(section, rules)
    return rules


def _check_notice(section: Section, rules: Rules) -> None:
    if rules.min_notice_minutes > rules.horizon_days * MINUTES_OF_DAY:
        section.problems.add(
            section.line_of("min_notice_minutes"),
            f'"min_notice_minutes" reaches beyond the {rules.horizon_days} days of "horizon_days": '
            "nothing could ever be booked",
            Code.NOTICE,
        )


def _reminders(section: Section) -> list[int]:
    hours: list[int] = []
    for node in section.items("reminders_hours"):
        hour = read_scalar(
            section.problems, node, 'a value of "reminders_hours"', whole_of("reminders_hours"), 0
        )
        if hour in hours and hour > 0:
            section.problems.add(line_of(node), f'"reminders_hours" has {hour} twice')
        hours.append(hour)
    return sorted(hours, reverse=True)


def _templates(section: Section) -> Templates:
    return Templates(
        template_reminder=section.read("reminder", values.content_sid, None),
        template_waitlist_offer=section.read("waitlist_offer", values.content_sid, None),
        template_contact=section.read("contact", values.content_sid, None),
    )


def _waits(section: Section) -> Waits:
    """What the file does not say is as in a new tenant."""

    def minutes(key: str) -> int:
        name = f"handoff_{key}"
        return section.read(key, whole_of(name), int(getattr(Waits, name)))

    return Waits(
        handoff_realert_minutes=minutes("realert_minutes"),
        handoff_second_text_minutes=minutes("second_text_minutes"),
        handoff_release_minutes=minutes("release_minutes"),
        handoff_reopen_minutes=minutes("reopen_minutes"),
    )


def _retention(section: Section) -> Retention:
    return Retention(
        retention_customers_days=section.read("customers_days", whole_of("retention_customers_days"), None),
        retention_media_days=section.read("media_days", whole_of("retention_media_days"), None),
    )


def _assistant(root: Section) -> Assistant:
    section = root.section("assistant", ASSISTANT_KEYS)
    return Assistant(
        assistant_greeting=section.read("greeting", greeting_of, ""),
        assistant_tone=section.read("tone", tone_of, ""),
        assistant_never_say=_at_most(MOST_NEVER_SAY, section, "never_say", _never_say),
        faq=_at_most(MOST_QUESTIONS, root, "faq", _faq),
    )


def _at_most(
    most: int, section: Section, key: str, read: Callable[[Problems, list[Node]], list[E]]
) -> list[E]:
    nodes = section.items(key)
    if len(nodes) > most:
        section.problems.add(section.line_of(key), f'"{key}" has more than {most} entries')
    return read(section.problems, nodes[:most])


def _never_say(problems: Problems, nodes: list[Node]) -> list[str]:
    return [read_scalar(problems, node, 'an entry of "never_say"', never_say_of, "") for node in nodes]


def _faq(problems: Problems, nodes: list[Node]) -> list[Question]:
    names = _Names(problems, "question")
    found: list[Question] = []
    for node in nodes:
        section = Section(problems, node, "a question", ("question", "answer"))
        question = names.read(section, "question", question_of)
        answer = section.need("answer", answer_of, "")
        if section.node("answer") is not None and not answer:
            problems.add(section.line_of("answer"), f'the answer to "{question}" must not be empty')
        found.append({"question": question, "answer": answer})
    return found


def by_weekday(hours: Hours) -> dict[str, list[list[int]]]:
    """Hours in the form of the column `Tenant.handoff_hours`."""
    return {
        str(weekday): [[window.start, window.end] for window in windows]
        for weekday, windows in itertools.groupby(hours, key=lambda window: window.weekday)
    }


# Hours


def _hours(section: Section, key: str, what: str) -> Hours:
    """Sorted windows of an optional mapping from days to lists of "HH:MM-HH:MM"."""
    node = section.node(key)
    windows: list[Window] = []
    taken: dict[int, str] = {}
    for days_key, key_node, value in [] if node is None else entries_of(section.problems, node, what):
        days = _days(section.problems, days_key, line_of(key_node), what, taken)
        spans = _spans(section.problems, value, f'"{days_key}"')
        windows += [Window(day, start, end) for day in days for start, end in spans]
    return tuple(sorted(windows))


def _days(problems: Problems, key: str, line: int, what: str, taken: dict[int, str]) -> range:
    """The weekdays of a key, noted in `taken`; a day of an earlier key is a problem."""
    try:
        days = values.weekdays(key)
    except Wrong as wrong:
        problems.add(line, f'"{key}" in {what} {wrong}')
        return range(0)
    for other in sorted({taken[day] for day in days if day in taken}):
        twice = ", ".join(values.DAYS[day] for day in days if taken.get(day) == other)
        problems.add(line, f'"{key}" in {what} gives {twice} again, after "{other}"')
    taken.update(dict.fromkeys(days, key))
    return days


def _spans(problems: Problems, node: Node, what: str) -> list[tuple[int, int]]:
    """The windows of one day: sorted, none overlapping another."""
    spans: list[tuple[int, int, int]] = []
    for item in items_of(problems, node, f"{what} (write [] for a closed day)"):
        start, end = read_scalar(problems, item, what, values.window, (0, 0))
        for other_start, other_end, line in spans:
            if start < other_end and other_start < end:
                text = f"{values.clock_text(start)}-{values.clock_text(end)}"
                other = f"{values.clock_text(other_start)}-{values.clock_text(other_end)}"
                problems.add(line_of(item), f"{what} {text} overlaps {other} (line {line})", Code.OVERLAP)
        spans.append((start, end, line_of(item)))
    return sorted((start, end) for start, end, _ in spans)


# Services and professionals


def _services(problems: Problems, nodes: list[Node]) -> tuple[Offer, ...]:
    names = _Names(problems, "service")
    services = []
    for node in nodes:
        section = Section(problems, node, "a service", SERVICE_KEYS)
        services.append(
            Offer(
                name=names.read(section),
                duration_minutes=section.need("duration_minutes", whole_of("duration_minutes"), 0),
                buffer_minutes=section.read("buffer_minutes", whole_of("buffer_minutes"), 0),
                price_cents=section.read("price", values.price, None),
                on_holidays=section.read("on_holidays", values.yes_no, False),
            )
        )
    return tuple(services)


class _Names:
    """Names of one kind, which must differ in more than case and accents."""

    def __init__(self, problems: Problems, kind: str) -> None:
        self._problems = problems
        self._kind = kind
        self._seen: dict[str, tuple[str, int]] = {}

    def read(
        self, section: Section, key: str = "name", read: Callable[[values.Scalar], str] = name_of
    ) -> str:
        name, line = section.need(key, read, ""), section.line_of(key)
        if name and fold(name) in self._seen:
            other, other_line = self._seen[fold(name)]
            how = "is given twice" if other == name else f'differs from "{other}" only in case or accents'
            self._problems.add(line, f'{self._kind} "{name}" {how} (line {other_line})', Code.NAME_TWICE)
        self._seen[fold(name)] = (name, line)
        return name


def _professionals(problems: Problems, nodes: list[Node], services: tuple[Offer, ...]) -> tuple[Worker, ...]:
    names = _Names(problems, "professional")
    known = {fold(service.name): service.name for service in services}
    professionals = []
    for node in nodes:
        section = Section(problems, node, "a professional", PROFESSIONAL_KEYS)
        name = names.read(section)
        worker = Worker(
            name=name,
            services=_offered(section, name, known),
            hours=_hours(section, "hours", f'the hours of "{name}"'),
            time_off=_dated(problems, section.items("time_off"), _time_off),
        )
        for missing in [key for key in ("services", "hours") if not getattr(worker, key)]:
            problems.warn(section.line, f'professional "{name}" has no {missing} and cannot be booked')
        professionals.append(worker)
    return tuple(professionals)


def _offered(section: Section, professional: str, known: dict[str, str]) -> tuple[str, ...]:
    offered: list[str] = []
    for node in section.items("services"):
        name = read_scalar(section.problems, node, "a service name", name_of, "")
        if not name:
            continue
        where = f'"{name}" in professional "{professional}"'
        if name in offered:
            section.problems.add(line_of(node), f"service {where} is given twice")
        elif known.get(fold(name)) != name:
            near = suggestion(name, known.values())
            section.problems.add(line_of(node), f"unknown service {where}{near}")
        offered.append(name)
    return tuple(offered)


# Dates


def _dated(problems: Problems, nodes: list[Node], read: Callable[[Problems, Node], A]) -> tuple[A, ...]:
    """Sorted time off or closures; the same one twice is a problem."""
    found: list[A] = []
    for node in nodes:
        entry = read(problems, node)
        if entry in found and entry[0] != UNREAD:
            problems.add(line_of(node), "this time is given twice", Code.TIME_TWICE)
        found.append(entry)
    return tuple(sorted(found))


def _time_off(problems: Problems, node: Node) -> Away:
    section = Section(problems, node, "a time off", ("from", "to", "hours", "reason"))
    first = section.need("from", values.day, UNREAD)
    last = section.read("to", values.day, first)
    if last < first:
        sentence = f"the time off ends on {last}, before it starts on {first}"
        problems.add(section.line_of("to"), sentence, Code.BACKWARDS)
    start, end = section.read("hours", values.window, (0, MINUTES_OF_DAY))
    return Away(first, last, start, end, section.read("reason", reason_of, ""))


def _closure(problems: Problems, node: Node) -> Closed:
    section = Section(problems, node, "a closure", ("date", "from", "to", "reason"))
    date = section.need("date", values.day, UNREAD)
    start = section.read("from", values.clock, 0)
    end = section.read("to", values.clock, MINUTES_OF_DAY)
    try:
        values.check_window(start, end, f"{values.clock_text(start)}-{values.clock_text(end)}")
    except Wrong as wrong:
        problems.add(section.line_of("to"), f"the closure {wrong}", Code.BACKWARDS)
    return Closed(date, start, end, section.read("reason", reason_of, ""))


# What is allowed, but hardly meant


def _warn_of_services(
    problems: Problems, nodes: list[Node], services: tuple[Offer, ...], professionals: tuple[Worker, ...]
) -> None:
    offered = {name for professional in professionals for name in professional.services}
    for node, service in zip(nodes, services, strict=True):
        if service.name not in offered:
            problems.warn(line_of(node), f'no professional offers the service "{service.name}"')
