"""A business file for tests, how to change one thing in it, and its import."""

from datetime import datetime

from models.business_file import Plan, apply, parse
from models.db import Database

# Tests name its line numbers: "tenant:" is line 1.
BASE = """\
tenant:
  slug: studio-bela
  name: Studio Bela
  whatsapp: "+551130001000"
  timezone: America/Sao_Paulo
  address: Rua Augusta, 1000 - São Paulo
  about: Salão de beleza.
  holidays: {country: BR, state: SP, closed: true}
  twilio: {account_sid: AC0123456789abcdef0123456789abcdef, auth_token_env: BELA_TWILIO_TOKEN}
rules:
  slot_step_minutes: 30
  min_notice_minutes: 60
  horizon_days: 60
  cancel_notice_minutes: 120
  max_open_appointments: 3
  reminders_hours: [24, 2]
  handoff_hours: {mon-fri: ["09:00-18:00"], sat: ["09:00-13:00"]}
services:
  - {name: Corte feminino, duration_minutes: 60, buffer_minutes: 10, price: "120.00"}
  - {name: Escova, duration_minutes: 45, price: "80.00"}
professionals:
  - name: Ana Souza
    services: [Corte feminino, Escova]
    hours: {mon-fri: ["09:00-12:00", "13:00-18:00"], sat: ["09:00-13:00"]}
    time_off: [{from: "2026-12-24", to: "2026-12-26", reason: Natal}]
closures: [{date: "2027-02-16", reason: Carnaval}]
"""
HOURS = 'hours: {mon-fri: ["09:00-12:00", "13:00-18:00"], sat: ["09:00-13:00"]}'
MINIMAL = """\
tenant: {slug: bela, name: Bela, whatsapp: "+551130001000", timezone: America/Sao_Paulo}
"""


def edited(old: str, new: str) -> str:
    assert BASE.count(old) == 1, old
    return BASE.replace(old, new)


def imported(db: Database, text: str, now: datetime, force: bool = False) -> Plan:
    with db.writing() as session:
        return apply(session, parse(text), now, force)
