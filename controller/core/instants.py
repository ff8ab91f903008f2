"""Points in time: float seconds since the epoch inside, RFC 3339 with microseconds outside."""

from datetime import UTC, datetime

Instant = float


def to_text(instant: Instant) -> str:
    """The instant in UTC with microseconds, such as ``2026-01-02T03:04:05.678901Z``."""
    moment = datetime.fromtimestamp(instant, UTC)
    return moment.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def from_text(text: object) -> Instant | None:
    """The instant that an RFC 3339 text names, or None if it is none. No zone means UTC."""
    if not isinstance(text, str):
        return None
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
