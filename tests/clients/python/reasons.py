"""What an error of the service says, and what the contract documents of it.

Invariant: nothing is read from the message of an error; that is for people.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status

DOCUMENT = Path(__file__).parents[3] / "proto" / "ERRORS.md"

TRAILER = "hf-reason"
DETAILS_TRAILER = "grpc-status-details-bin"


@dataclass(frozen=True)
class Reason:
    """One error, taken apart."""

    code: str
    reason: str
    domain: str
    values: dict[str, str]
    # Paths of wrong fields.
    fields: tuple[str, ...]
    # The reason for languages without rich errors.
    trailer: str
    n_bytes: int


def reason_of(error: grpc.RpcError) -> Reason:
    trailers = {entry.key: entry.value for entry in error.trailing_metadata()}
    status = rpc_status.from_call(error)
    info, fields = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest()
    for detail in status.details if status else ():
        detail.Unpack(info)
        detail.Unpack(fields)
    return Reason(
        code=error.code().name,
        reason=info.reason,
        domain=info.domain,
        values=dict(info.metadata),
        fields=tuple(violation.field for violation in fields.field_violations),
        trailer=str(trailers.get(TRAILER, "")),
        n_bytes=len(trailers.get(DETAILS_TRAILER, b"")),
    )


@dataclass(frozen=True)
class Documented:
    """What ERRORS.md says of a reason."""

    code: str
    values: frozenset[str]


@cache
def documented() -> dict[str, Documented]:
    found: dict[str, Documented] = {}
    for section in DOCUMENT.read_text(encoding="utf-8").split("\n### ")[1:]:
        name, _, text = section.partition("\n")
        code = re.search(r"^- Code: `(\w+)`$", text, re.MULTILINE)
        if code is None:
            continue
        line = re.search(r"^- Metadata: (.*)$", text, re.MULTILINE)
        values = set(re.findall(r"(\w+) \([^)]*\)", line[1]) if line else ())
        # Every reason of the rules has these two.
        if re.search(r"^- Rule: ", text, re.MULTILINE):
            values |= {"actionIndex", "rule"}
        found[name] = Documented(code[1], frozenset(values))
    return found
