"""The business file's text: what is understood, and every error with its line."""

import datetime as dt
from pathlib import Path

import pytest

from models.business_file import BusinessFileErrors, load, parse
from models.business_file.document import MAX_BYTES, Problem
from models.business_file.shape import Away, Closed, Offer, Rules, Window
from models.tenant import Tenant
from tests.models.businesses import BASE, HOURS, MINIMAL, edited

SAMPLES = Path(__file__).parents[2] / "templates" / "business"


def errors_of(text: str) -> list[tuple[int, str]]:
    with pytest.raises(BusinessFileErrors) as caught:
        parse(text)
    return [(error.line, error.sentence) for error in caught.value.errors]


# What is understood


def test_the_whole_format_is_understood() -> None:
    """Every key of the documented format arrives as a plain value."""
    file = parse(BASE)
    assert file.settings.slug == "studio-bela"
    assert (file.settings.holidays_country, file.settings.holidays_state) == ("BR", "SP")
    assert file.settings.holidays_closed
    assert file.settings.twilio_auth_token_env == "BELA_TWILIO_TOKEN"
    assert file.rules == Rules(
        reminders_hours=[24, 2],
        handoff_hours={str(day): [[540, 1080]] for day in range(5)} | {"5": [[540, 780]]},
    )
    assert file.services == (Offer("Corte feminino", 60, 10, 12000), Offer("Escova", 45, 0, 8000))
    ana = file.professionals[0]
    assert ana.services == ("Corte feminino", "Escova")
    assert ana.hours[:3] == (Window(0, 540, 720), Window(0, 780, 1080), Window(1, 540, 720))
    assert ana.time_off == (Away(dt.date(2026, 12, 24), dt.date(2026, 12, 26), reason="Natal"),)
    assert file.closures == (Closed(dt.date(2027, 2, 16), reason="Carnaval"),)
    assert file.warnings == ()


def test_rules_left_out_are_those_of_a_new_tenant() -> None:
    """The file's defaults are the columns' defaults: one is not changed without the other."""
    rules = parse(MINIMAL).rules
    columns = Tenant.model_fields
    assert vars(rules) == {name: columns[name].get_default(call_default_factory=True) for name in vars(rules)}


def test_everything_but_four_keys_may_be_left_out() -> None:
    file = parse(MINIMAL)
    assert (file.services, file.professionals, file.closures) == ((), (), ())
    assert file.settings.holidays_country is None
    assert file.settings.twilio_account_sid is None


def test_an_empty_value_is_as_good_as_none() -> None:
    """Keys that are left with nothing behind them do not become the text "None"."""
    text = edited("about: Salão de beleza.", "about:").replace("reason: Natal", "reason: ")
    file = parse(text.replace('price: "80.00"', "price: null"))
    assert file.settings.about == ""
    assert file.professionals[0].time_off[0].reason == ""
    assert file.services[1].price_cents is None


@pytest.mark.parametrize(
    ("written", "cents"),
    [
        ('"120.00"', 12000),
        ('"120"', 12000),
        ("120", 12000),
        ('"0.50"', 50),
        ("0", 0),
        ('"999999.99"', 99999999),
    ],
)
def test_price(written: str, cents: int) -> None:
    """Prices become whole cents without ever being a float."""
    assert parse(edited('"80.00"', written)).services[1].price_cents == cents


def test_dates_and_times_need_no_quotes() -> None:
    """YAML would make a date or a number of minutes of them; the text as written counts."""
    text = edited('{date: "2027-02-16", reason: Carnaval}', "{date: 2027-02-16, from: 14:00, to: 18:30}")
    assert parse(text).closures == (Closed(dt.date(2027, 2, 16), 14 * 60, 18 * 60 + 30),)


def test_a_closure_may_take_a_part_of_the_day() -> None:
    text = edited('{date: "2027-02-16", reason: Carnaval}', '{date: "2027-02-16", from: "14:00"}')
    assert parse(text).closures == (Closed(dt.date(2027, 2, 16), 14 * 60, 24 * 60),)


def test_time_off_may_take_a_part_of_each_day() -> None:
    text = edited('to: "2026-12-26", reason: Natal', 'hours: "14:00-18:00"')
    day = dt.date(2026, 12, 24)
    assert parse(text).professionals[0].time_off == (Away(day, day, 14 * 60, 18 * 60),)


@pytest.mark.parametrize(
    ("hours", "windows"),
    [
        ('{sat: ["21:00-24:00"]}', [(5, 1260, 1440)]),
        ('{sat: ["00:00-24:00"]}', [(5, 0, 1440)]),
        ('{sat: ["14:00-18:00", "09:00-12:00"]}', [(5, 540, 720), (5, 840, 1080)]),
        ('{sat: ["09:00-12:00", "12:00-15:00"]}', [(5, 540, 720), (5, 720, 900)]),
        ('{sun: ["10:00-11:00"], fri-sat: []}', [(6, 600, 660)]),
        ("{}", []),
    ],
)
def test_hours(hours: str, windows: list[tuple[int, int, int]]) -> None:
    """24:00 ends a day, windows may come in any order and touch; they come out sorted."""
    assert list(parse(edited(HOURS, f"hours: {hours}")).professionals[0].hours) == windows


def test_hours_may_be_shared_by_an_alias() -> None:
    text = edited(HOURS, 'hours: &all {mon-sun: ["09:00-18:00"]}').replace(
        "closures:", "  - {name: Bia, services: [Escova], hours: *all}\nclosures:"
    )
    ana, bia = parse(text).professionals
    assert ana.hours == bia.hours
    assert len(bia.hours) == 7


@pytest.mark.parametrize(
    ("section", "city", "optional", "opened"),
    [
        ("optional: [Carnaval, corpus christi]", None, ["Carnaval", "Corpus Christi"], []),
        ("optional: all", None, ["all"], []),
        ("optional: none", None, [], []),
        ("optional: []", None, [], []),
        ("optional: ", None, [], []),
        ("city: sao paulo", "São Paulo", [], []),
        (
            'open: [natal, "2026-11-20", 2027-02-08, Véspera de Natal]',
            None,
            [],
            ["Natal", "2026-11-20", "2027-02-08", "Véspera de Natal"],
        ),
        (
            "city: São Paulo, open: [Aniversário da Cidade de São Paulo]",
            "São Paulo",
            [],
            ["Aniversário da Cidade de São Paulo"],
        ),
    ],
)
def test_holidays(section: str, city: str | None, optional: list[str], opened: list[str]) -> None:
    """Names are put as python-holidays writes them, dates as ISO; closed is what is not said otherwise."""
    settings = parse(edited("closed: true", section)).settings
    assert settings.holidays_closed
    assert settings.holidays_city == city
    assert (settings.holidays_optional, settings.holidays_open) == (optional, opened)


def test_names_are_brought_into_one_form() -> None:
    """Spaces and composed accents are no reason for another row at the next import."""
    text = edited("name: Ana Souza", 'name: "  Joa\u0303o   D\'Ávila 💈 "')
    assert parse(text).professionals[0].name == "João D'Ávila 💈"


def test_a_number_may_be_written_with_spaces() -> None:
    assert parse(edited('"+551130001000"', "+55 (11) 3000-1000")).settings.whatsapp == "+551130001000"


@pytest.mark.parametrize("sample", sorted(SAMPLES.glob("*.yaml")), ids=lambda path: path.stem)
def test_samples_are_valid(sample: Path) -> None:
    """The shipped businesses have no error and no warning, and are called like their file."""
    file = load(sample)
    assert file.warnings == ()
    assert file.settings.slug == sample.stem


def test_samples_differ_in_zone_and_number() -> None:
    files = [load(sample).settings for sample in SAMPLES.glob("*.yaml")]
    assert len(files) >= 2
    assert len({file.timezone for file in files}) == len({file.whatsapp for file in files}) == len(files)


# What is odd, but allowed


@pytest.mark.parametrize(
    ("old", "new", "line", "warning"),
    [
        (
            "    services: [Corte feminino, Escova]\n",
            "",
            22,
            'professional "Ana Souza" has no services and cannot be booked',
        ),
        (f"    {HOURS}\n", "", 22, 'professional "Ana Souza" has no hours and cannot be booked'),
        ("[Corte feminino, Escova]", "[Escova]", 19, 'no professional offers the service "Corte feminino"'),
        (
            '"+551130001000"',
            '"+15550001111"',
            4,
            "+15550001111 is outside the numbers that its country gives out",
        ),
        (
            "closed: true",
            'open: ["2026-12-08"]',
            8,
            "2026-12-08 is no holiday there, the business is open anyway",
        ),
    ],
)
def test_warning(old: str, new: str, line: int, warning: str) -> None:
    assert Problem(line, warning) in parse(edited(old, new)).warnings


# Errors: (what is edited in BASE, line, the whole sentence)

ERRORS = {
    "missing tenant key": (
        "  name: Studio Bela\n",
        "",
        2,
        '"tenant" needs a value for "name"',
    ),
    "empty required value": (
        "name: Studio Bela",
        "name:",
        3,
        '"tenant" needs a value for "name"',
    ),
    "blank required value": (
        "name: Studio Bela",
        'name: " "',
        3,
        '"name" must not be empty',
    ),
    "unknown key": (
        "address: Rua",
        "adress: Rua",
        6,
        'unknown key "adress" in "tenant" (did you mean "address"?); known keys: slug, name, whatsapp, '
        "timezone, address, about, holidays, twilio, buttons, images, model",
    ),
    "unknown key at the top": (
        "closures: [",
        "holidays: [",
        26,
        'unknown key "holidays" in the file; known keys: tenant, rules, assistant, faq, '
        "templates, handoff, retention, limits, services, professionals, closures",
    ),
    "price with a comma and no quotes": (
        'price: "80.00"}',
        "price: 80,50}",
        20,
        'unknown key "50" in a service: write a price in quotes and with a point, such as "50.00"',
    ),
    "key given twice": (
        "  about: Salão",
        "  name: Salão",
        7,
        'the key "name" is given twice in "tenant" (first on line 3)',
    ),
    "key that is a list": (
        "  about: Salão de beleza.",
        "  ? [a]\n  : b",
        7,
        'a key in "tenant" must be plain text',
    ),
    "merge key": (
        "  about: Salão de beleza.",
        "  <<: {}",
        7,
        'unknown key "<<" in "tenant"; known keys: slug, name, whatsapp, timezone, address, about, '
        "holidays, twilio, buttons, images, model",
    ),
    "mapping wanted": (
        "twilio: {account_sid: AC0123456789abcdef0123456789abcdef, auth_token_env: BELA_TWILIO_TOKEN}",
        "twilio: x",
        9,
        '"twilio" must be a mapping of keys to values',
    ),
    "list wanted": (
        '[{date: "2027-02-16", reason: Carnaval}]',
        "{}",
        26,
        '"closures" must be a list',
    ),
    "value wanted": (
        "name: Studio Bela",
        "name: [Studio]",
        3,
        '"name" must be a single value',
    ),
    "item that is no mapping": (
        '{date: "2027-02-16", reason: Carnaval}',
        "Carnaval",
        26,
        "a closure must be a mapping of keys to values",
    ),
    "slug": (
        "studio-bela",
        "Studio Bela",
        2,
        '"slug" must be lower-case letters, digits and single hyphens, at most 60, not "Studio Bela"',
    ),
    "long name": (
        "Studio Bela",
        "B" * 121,
        3,
        '"name" is longer than 120 characters',
    ),
    "invisible character": (
        "Studio Bela",
        "Studio\u200bBela",
        3,
        '"name" holds the invisible character U+200B',
    ),
    "number without country": (
        "+551130001000",
        "1130001000",
        4,
        '"whatsapp" must be a number with its country code such as "+551130001000", not "1130001000"',
    ),
    "number of letters": (
        "+551130001000",
        "+1800FLOWERS",
        4,
        '"whatsapp" must be a number with its country code such as "+551130001000", not "+1800FLOWERS"',
    ),
    "number too short": (
        "+551130001000",
        "+5511",
        4,
        '"whatsapp" must be a number with its country code such as "+551130001000", not "+5511"',
    ),
    "misspelled zone": (
        "America/Sao_Paulo",
        "America/Sao_Paolo",
        5,
        '"timezone" "America/Sao_Paolo" is no time zone of the IANA database (did you mean '
        '"America/Sao_Paulo"?)',
    ),
    "zone by its hours": (
        "America/Sao_Paulo",
        "GMT-3",
        5,
        '"timezone" "GMT-3" is no time zone of the IANA database, write one such as "America/Sao_Paulo"',
    ),
    "no zone at all": (
        "America/Sao_Paulo",
        "-03:00",
        5,
        '"timezone" "-03:00" is no time zone of the IANA database, write one such as "America/Sao_Paulo"',
    ),
    "holiday country": (
        "country: BR, state: SP",
        "country: XX, state: SP",
        8,
        '"country" must be a country code that python-holidays knows, such as "BR", not "XX"',
    ),
    "optional day": (
        "closed: true",
        "optional: [Carnval]",
        8,
        'optional day "Carnval" is no name that is known there (did you mean "Carnaval"?); known: Carnaval, '
        "Corpus Christi, Dia do Servidor Público, Quarta-feira de Cinzas, Véspera de Ano-Novo, Véspera de "
        "Natal",
    ),
    "optional days in a word": (
        "closed: true",
        "optional: Carnaval",
        8,
        '"optional" must be a list of names, or all or none, not "Carnaval"',
    ),
    "no optional days there": (
        "country: BR, state: SP, closed: true",
        "country: AO, optional: [Carnaval]",
        8,
        'optional day "Carnaval" is no name that is known there; known: none',
    ),
    "open on a date that does not exist": (
        "closed: true",
        'open: ["2027-02-29"]',
        8,
        '"open" "2027-02-29" is a date that does not exist',
    ),
    "city": (
        "closed: true",
        "city: Campinas",
        8,
        '"city" "Campinas" is no city whose own holidays are known; known: São Paulo; write its holidays '
        "under closures",
    ),
    "holiday closed": (
        "closed: true",
        "closed: maybe",
        8,
        '"closed" must be true or false, not "maybe"',
    ),
    "account sid": (
        "AC0123456789abcdef0123456789abcdef",
        "AC123",
        9,
        '"account_sid" must be "AC" followed by 32 characters from 0-9 and a-f',
    ),
    "token itself": (
        "BELA_TWILIO_TOKEN",
        "0123456789abcdef0123456789abcdef",
        9,
        '"auth_token_env" must be the name of an environment variable that holds the token, never the '
        "token itself",
    ),
    "half a twilio account": (
        ", auth_token_env: BELA_TWILIO_TOKEN",
        "",
        9,
        '"twilio" needs a value for "auth_token_env"',
    ),
    "step of zero": (
        "slot_step_minutes: 30",
        "slot_step_minutes: 0",
        11,
        '"slot_step_minutes" must be from 1 to 1440, not 0',
    ),
    "negative notice": (
        "min_notice_minutes: 60",
        "min_notice_minutes: -60",
        12,
        '"min_notice_minutes" must be a whole number such as 30, not "-60"',
    ),
    "notice beyond the horizon": (
        "min_notice_minutes: 60\n  horizon_days: 60",
        "min_notice_minutes: 7200\n  horizon_days: 2",
        12,
        '"min_notice_minutes" reaches beyond the 2 days of "horizon_days": nothing could ever be booked',
    ),
    "horizon in words": (
        "horizon_days: 60",
        "horizon_days: sixty",
        13,
        '"horizon_days" must be a whole number such as 30, not "sixty"',
    ),
    "octal": (
        "cancel_notice_minutes: 120",
        "cancel_notice_minutes: 0120",
        14,
        '"cancel_notice_minutes" must be a whole number such as 30, not "0120"',
    ),
    "quoted number": (
        "max_open_appointments: 3",
        'max_open_appointments: "3"',
        15,
        '"max_open_appointments" must be a whole number such as 30, not "3"',
    ),
    "reminder twice": (
        "[24, 2]",
        "[24, 24]",
        16,
        '"reminders_hours" has 24 twice',
    ),
    "reminder of zero": (
        "[24, 2]",
        "[24, 0]",
        16,
        'a value of "reminders_hours" must be from 1 to 336, not 0',
    ),
    "handoff day": (
        "handoff_hours: {mon-fri:",
        "handoff_hours: {seg-sex:",
        17,
        '"seg-sex" in "handoff_hours" is no day; write one of mon, tue, wed, thu, fri, sat, sun or a '
        "range such as mon-fri",
    ),
    "price as a float": (
        '"80.00"',
        "80.5",
        20,
        '"price" must be written in quotes with two decimals, such as "120.50", not 80.5 without quotes',
    ),
    "price with a comma": (
        '"80.00"',
        '"80,00"',
        20,
        '"price" must be an amount below 1000000 such as "120.00", not "80,00"',
    ),
    "price with one decimal": (
        '"80.00"',
        '"80.5"',
        20,
        '"price" must be an amount below 1000000 such as "120.00", not "80.5"',
    ),
    "negative price": (
        '"80.00"',
        "-80",
        20,
        '"price" must be an amount below 1000000 such as "120.00", not "-80"',
    ),
    "no duration": (
        "duration_minutes: 45, ",
        "",
        20,
        'a service needs a value for "duration_minutes"',
    ),
    "duration of zero": (
        "duration_minutes: 45",
        "duration_minutes: 0",
        20,
        '"duration_minutes" must be from 1 to 1440, not 0',
    ),
    "duration over a day": (
        "duration_minutes: 45",
        "duration_minutes: 1441",
        20,
        '"duration_minutes" must be from 1 to 1440, not 1441',
    ),
    "service twice": (
        "  - {name: Escova, duration",
        "  - {name: Escova, duration_minutes: 5}\n  - {name: Escova, duration",
        21,
        'service "Escova" is given twice (line 20)',
    ),
    "service in another case": (
        "  - {name: Escova, duration",
        "  - {name: ESCÔVA, duration_minutes: 5}\n  - {name: Escova, duration",
        21,
        'service "Escova" differs from "ESCÔVA" only in case or accents (line 20)',
    ),
    "professional in another case": (
        "closures: [",
        "  - {name: Bia}\n  - {name: bia}\nclosures: [",
        27,
        'professional "bia" differs from "Bia" only in case or accents (line 26)',
    ),
    "unknown service": (
        "services: [Corte feminino, Escova]",
        "services: [Corte feminino, Escvoa]",
        23,
        'unknown service "Escvoa" in professional "Ana Souza" (did you mean "Escova"?)',
    ),
    "unknown service, none near": (
        "services: [Corte feminino, Escova]",
        "services: [Corte feminino, Massagem]",
        23,
        'unknown service "Massagem" in professional "Ana Souza"',
    ),
    "service in other letters": (
        "services: [Corte feminino, Escova]",
        "services: [Corte feminino, escova]",
        23,
        'unknown service "escova" in professional "Ana Souza" (did you mean "Escova"?)',
    ),
    "service offered twice": (
        "services: [Corte feminino, Escova]",
        "services: [Escova, Escova]",
        23,
        'service "Escova" in professional "Ana Souza" is given twice',
    ),
    "day twice": (
        'hours: {mon-fri: ["09:00-12:00", "13:00-18:00"], sat: ["09:00-13:00"]}',
        'hours: {mon-fri: ["09:00-12:00"], fri: []}',
        24,
        '"fri" in the hours of "Ana Souza" gives fri again, after "mon-fri"',
    ),
    "day range backwards": (
        'hours: {mon-fri: ["09:00-12:00", "13:00-18:00"], sat: ["09:00-13:00"]}',
        "hours: {fri-mon: []}",
        24,
        '"fri-mon" in the hours of "Ana Souza" ends before it starts; the week goes from mon to sun',
    ),
    "half a range": (
        'hours: {mon-fri: ["09:00-12:00", "13:00-18:00"], sat: ["09:00-13:00"]}',
        "hours: {mon-: []}",
        24,
        '"mon-" in the hours of "Ana Souza" is no day; write one of mon, tue, wed, thu, fri, sat, sun '
        "or a range such as mon-fri",
    ),
    "hours without a list": (
        'hours: {mon-fri: ["09:00-12:00", "13:00-18:00"], sat: ["09:00-13:00"]}',
        'hours: {sat: "09:00-13:00"}',
        24,
        '"sat" (write [] for a closed day) must be a list',
    ),
    "hours in another form": (
        'hours: {mon-fri: ["09:00-12:00", "13:00-18:00"], sat: ["09:00-13:00"]}',
        'hours: {sat: ["9-13"]}',
        24,
        '"sat" must be hours such as "09:00-12:00" ("24:00" ends the day), not "9-13"',
    ),
    "hours beyond the day": (
        'hours: {mon-fri: ["09:00-12:00", "13:00-18:00"], sat: ["09:00-13:00"]}',
        'hours: {sat: ["21:00-24:01"]}',
        24,
        '"sat" must be hours such as "09:00-12:00" ("24:00" ends the day), not "21:00-24:01"',
    ),
    "sixty minutes": (
        'hours: {mon-fri: ["09:00-12:00", "13:00-18:00"], sat: ["09:00-13:00"]}',
        'hours: {sat: ["09:60-12:00"]}',
        24,
        '"sat" must be hours such as "09:00-12:00" ("24:00" ends the day), not "09:60-12:00"',
    ),
    "closed as midnight to midnight": (
        'hours: {mon-fri: ["09:00-12:00", "13:00-18:00"], sat: ["09:00-13:00"]}',
        'hours: {sat: ["00:00-00:00"]}',
        24,
        '"sat" "00:00-00:00" is no time at all; the whole day is "00:00-24:00", a closed day is an '
        "empty list",
    ),
    "midnight as start": (
        'hours: {mon-fri: ["09:00-12:00", "13:00-18:00"], sat: ["09:00-13:00"]}',
        'hours: {sat: ["08:00-00:00"]}',
        24,
        '"sat" "08:00-00:00" ends before it starts; midnight at the end of the day is "24:00"',
    ),
    "past midnight": (
        'hours: {mon-fri: ["09:00-12:00", "13:00-18:00"], sat: ["09:00-13:00"]}',
        'hours: {sat: ["20:00-02:00"]}',
        24,
        '"sat" "20:00-02:00" must end after it starts; hours past midnight belong to the next day',
    ),
    "no length": (
        'hours: {mon-fri: ["09:00-12:00", "13:00-18:00"], sat: ["09:00-13:00"]}',
        'hours: {sat: ["09:00-09:00"]}',
        24,
        '"sat" "09:00-09:00" must end after it starts; hours past midnight belong to the next day',
    ),
    "overlapping hours": (
        'hours: {mon-fri: ["09:00-12:00", "13:00-18:00"], sat: ["09:00-13:00"]}',
        'hours:\n      sat:\n        - "11:00-15:00"\n        - "09:00-12:00"',
        27,
        '"sat" 09:00-12:00 overlaps 11:00-15:00 (line 26)',
    ),
    "date that does not exist": (
        'from: "2026-12-24"',
        'from: "2027-02-29"',
        25,
        '"from" "2027-02-29" is a date that does not exist',
    ),
    "date in another form": (
        'from: "2026-12-24"',
        'from: "24/12/2026"',
        25,
        '"from" must be a date such as "2026-12-24", not "24/12/2026"',
    ),
    "time off backwards": (
        'to: "2026-12-26"',
        'to: "2026-12-23"',
        25,
        "the time off ends on 2026-12-23, before it starts on 2026-12-24",
    ),
    "time off twice": (
        "time_off: [",
        'time_off: [{from: "2026-12-24", to: "2026-12-26", reason: Natal}, ',
        25,
        "this time is given twice",
    ),
    "closure without a date": (
        'date: "2027-02-16", ',
        "",
        26,
        'a closure needs a value for "date"',
    ),
    "closure backwards": (
        "reason: Carnaval",
        'from: "18:00", to: "14:00"',
        26,
        'the closure "18:00-14:00" must end after it starts; hours past midnight belong to the next day',
    ),
    "closure twice": (
        "closures: [",
        'closures: [{date: "2027-02-16", reason: Carnaval}, ',
        26,
        "this time is given twice",
    ),
}


@pytest.mark.parametrize(("old", "new", "line", "sentence"), ERRORS.values(), ids=ERRORS.keys())
def test_error(old: str, new: str, line: int, sentence: str) -> None:
    """Each mistake gives exactly this one sentence on this line, and no follow-up."""
    assert errors_of(edited(old, new)) == [(line, sentence)]


def test_unknown_state_lists_the_known_ones() -> None:
    [(line, sentence)] = errors_of(edited("state: SP", "state: XX"))
    assert line == 8
    assert sentence.startswith('"state" "XX" is no state of BR; known: AC, AL, AM,')


def test_an_unknown_holiday_lists_the_known_ones() -> None:
    with pytest.raises(BusinessFileErrors) as caught:
        parse(edited("closed: true", "open: [Nata]"))
    sentence = caught.value.errors[0].sentence
    assert sentence.startswith(
        'holiday "Nata" is no name that is known there (did you mean "Natal"?); known: '
    )
    assert "Tiradentes" in sentence


def test_a_file_with_an_unknown_country_is_blamed_for_nothing_else() -> None:
    text = edited("country: BR, state: SP, closed: true", "country: BRA, state: X, city: Y, optional: [Z]")
    with pytest.raises(BusinessFileErrors) as caught:
        parse(text)
    assert len(caught.value.errors) == 1


def test_secrets_are_not_repeated() -> None:
    """Somebody who pastes the token instead of a name does not find it in a log afterwards."""
    with pytest.raises(BusinessFileErrors) as caught:
        parse(edited("BELA_TWILIO_TOKEN", "0123456789abcdef0123456789abcdef"))
    assert "0123456789abcdef" not in str(caught.value)


def test_all_errors_come_at_once_in_line_order() -> None:
    text = (
        edited("closed: true", "closed: maybe")
        .replace("2027-02-16", "2027-02-30")
        .replace("sat: [", "sab: [")
    )
    errors = errors_of(text)
    assert [line for line, _ in errors] == [8, 17, 24, 26]


def test_errors_read_as_lines() -> None:
    with pytest.raises(BusinessFileErrors) as caught:
        parse(edited('price: "80.00"', "price: 8.5").replace("horizon_days: 60", "horizon_days: x"))
    first, second = str(caught.value).splitlines()
    assert first.startswith('line 13: "horizon_days" must be')
    assert second.startswith('line 20: "price" must be')


# Text that is no business file at all


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        ("", 1, "the file is empty"),
        ("# only a comment\n", 1, "the file is empty"),
        ("- a\n", 1, "the file must be a mapping of keys to values"),
        ("a: 1\nb: [\n", 3, "cannot be read: expected the node content, but found '<stream end>'"),
        (
            "a: 1\n\tb: 2\n",
            2,
            "cannot be read: found character '\\t' that cannot start any token (use spaces, not tabs)",
        ),
        ("a: 1\nb: \x07\n", 2, "cannot be read: a control character"),
        ("a: 1\n---\nb: 2\n", 2, "cannot be read: but found another document"),
        ("tenant: *nobody\n", 1, "cannot be read: found undefined alias 'nobody'"),
        ("a: 1\nb: !!python/name:os.system\n", 2, "cannot be read: tags such as !name are not allowed"),
        ("a: !secret x\n", 1, "cannot be read: tags such as !name are not allowed"),
        ("[" * 5000, 1, "cannot be read: it is nested too deeply"),
        ("a: &a x\nb: [" + "*a, " * 300 + "]", 2, "cannot be read: there are more than 200 aliases"),
        ("#" * MAX_BYTES + "\n", 1, "the file is larger than 1024 KiB"),
    ],
)
def test_unreadable_text(text: str, line: int, sentence: str) -> None:
    """Broken, hostile or oversized YAML is one clear error, never a traceback."""
    assert errors_of(text) == [(line, sentence)]


def test_a_node_that_holds_itself_ends() -> None:
    assert (1, '"tenant" needs a value for "slug"') in errors_of("tenant: &t {name: *t}\n")


def test_load_wants_utf8(tmp_path: Path) -> None:
    path = tmp_path / "latin1.yaml"
    path.write_bytes(BASE.encode("latin-1"))
    with pytest.raises(BusinessFileErrors) as caught:
        load(path)
    assert caught.value.errors == (Problem(6, "the file must be saved as UTF-8"),)


def test_load_does_not_read_a_huge_file(tmp_path: Path) -> None:
    """The limit also holds where it falls into the middle of a character."""
    path = tmp_path / "huge.yaml"
    path.write_bytes("é".encode() * MAX_BYTES)
    with pytest.raises(BusinessFileErrors) as caught:
        load(path)
    assert caught.value.errors == (Problem(1, "the file is larger than 1024 KiB"),)
