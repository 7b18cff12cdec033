"""Which workers are alive: one row a process, beaten by its heartbeat."""

from datetime import datetime

from sqlmodel import Field, SQLModel

from models.db import UtcDateTime


class WorkerBeat(SQLModel, table=True):
    __tablename__ = "worker_beat"

    owner: str = Field(primary_key=True, max_length=64)
    at: datetime = Field(sa_type=UtcDateTime)
