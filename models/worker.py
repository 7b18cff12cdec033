"""Which workers are alive: one row a process, beaten by its heartbeat."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import JSON, delete, func, insert, select, update
from sqlmodel import Field, Session, SQLModel

from models.db import UtcDateTime, change, table

BEAT_MAX_AGE = timedelta(seconds=30)  # a worker that has been silent for longer is gone


class WorkerBeat(SQLModel, table=True):
    __tablename__ = "worker_beat"

    owner: str = Field(primary_key=True, max_length=64)
    at: datetime = Field(sa_type=UtcDateTime)
    calls: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)  # see `bot.core.call_stats`


def beat(session: Session, owner: str, now: datetime, calls: Mapping[str, Any] | None = None) -> None:
    """Say that this worker is alive, and how it fares with the servers that it calls."""
    beats, values = table(WorkerBeat), {"at": now, "calls": dict(calls or {})}
    if change(session, update(beats).where(beats.c.owner == owner).values(values)) == 0:
        session.execute(insert(beats).values(owner=owner, **values))


def leave(session: Session, owner: str) -> None:
    """Say that this worker has stopped."""
    beats = table(WorkerBeat)
    change(session, delete(beats).where(beats.c.owner == owner))


def last_beat(session: Session) -> datetime | None:
    """The newest heartbeat of any worker."""
    latest: datetime | None = session.execute(select(func.max(table(WorkerBeat).c.at))).scalar()
    return latest


def calls(session: Session) -> dict[str, dict[str, Any]]:
    """Of each worker, how it fares with the servers that it calls."""
    beats = table(WorkerBeat)
    return {row.owner: row.calls for row in session.execute(select(beats.c.owner, beats.c.calls))}


def forget_silent(session: Session, before: datetime) -> int:
    """Remove the rows of workers that died without leaving."""
    beats = table(WorkerBeat)
    return change(session, delete(beats).where(beats.c.at < before))
