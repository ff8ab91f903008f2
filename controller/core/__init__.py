"""Pure decisions: values in, values out; the standard library only."""

from controller.core.jobs import JobLedger, JobPlan
from controller.core.queueing import Plan, QueueLedger

__all__ = ["JobLedger", "JobPlan", "Plan", "QueueLedger"]
