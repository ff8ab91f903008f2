"""Where the kinds of ``controller.core`` live on the API server."""

from collections.abc import Mapping

from controller.core.decisions import Kind
from queuecheck.kube import Resource
from queuecheck.kube.resource import JOBS, PODS, PRIORITY_CLASSES, RUNTIME_CLASSES

ELASTIC_QUOTAS = Resource("scheduling.sigs.k8s.io", "v1alpha1", "elasticquotas", "ElasticQuota")
QUEUES = Resource("scheduling.x-k8s.io", "v1alpha1", "queues", "Queue")
QUEUE_UNITS = Resource("scheduling.x-k8s.io", "v1alpha1", "queueunits", "QueueUnit")

JOB_NAME_LABEL = "batch.kubernetes.io/job-name"

RESOURCES: Mapping[Kind, Resource] = {
    Kind.QUOTA: ELASTIC_QUOTAS,
    Kind.QUEUE: QUEUES,
    Kind.UNIT: QUEUE_UNITS,
    Kind.JOB: JOBS,
    Kind.POD: PODS,
    Kind.PRIORITY_CLASS: PRIORITY_CLASSES,
    Kind.RUNTIME_CLASS: RUNTIME_CLASSES,
}

# Pods of anything but Jobs are most of a cluster's and none of our business.
SELECTORS: Mapping[Kind, str] = {Kind.POD: JOB_NAME_LABEL}
