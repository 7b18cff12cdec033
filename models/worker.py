"""Which workers are alive: one row a process, beaten by its heartbeat."""

from datetime import datetime

from sqlalchemy import delete, func, insert, select, update
from sqlmodel import Field, Session, SQLModel

from models.db import UtcDateTime, change, table


class WorkerBeat(SQLModel, table=True):
    __tablename__ = "worker_beat"

    owner: str = Field(primary_key=True, max_length=64)
    at: datetime = Field(sa_type=UtcDateTime)


def beat(session: Session, owner: str, now: datetime) -> None:
    """Say that this worker is alive."""
    beats = table(WorkerBeat)
    if change(session, update(beats).where(beats.c.owner == owner).values(at=now)) == 0:
        session.execute(insert(beats).values(owner=owner, at=now))


def leave(session: Session, owner: str) -> None:
    """Say that this worker has stopped."""
    beats = table(WorkerBeat)
    change(session, delete(beats).where(beats.c.owner == owner))


def last_beat(session: Session) -> datetime | None:
    """The newest heartbeat of any worker."""
    latest: datetime | None = session.execute(select(func.max(table(WorkerBeat).c.at))).scalar()
    return latest


def forget_silent(session: Session, before: datetime) -> int:
    """Remove the rows of workers that died without leaving."""
    beats = table(WorkerBeat)
    return change(session, delete(beats).where(beats.c.at < before))
