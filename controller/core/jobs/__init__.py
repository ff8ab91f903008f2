"""The job extension: Jobs to units, pods to running replicas, marks to reclaimed ones.

A Job is ours if it was suspended when it was met, or carries our annotation that we resumed it. Its
unit has its name and its UID. Everything is decided from the objects as they are; after a crash at
any point the same decisions come out again. A Job that chooses its pods by a selector of its own
(manualSelector) is not taken over: its pods bear no name of a Job, and none would seem to run.
"""

from controller.core.jobs.ledger import JobLedger, JobPlan

__all__ = ["JobLedger", "JobPlan"]
