"""The governing text's manifests for turning preemption on, applied as they stand."""

from __future__ import annotations

import yaml
from pytest_bdd import given, parsers, when

from queuecheck import resources
from steps.story import Story

FILES = {"ElasticQuota": "elasticquota.yaml", "Queue": "queue.yaml"}
CREATED = parsers.re(
    rf"the governing text's (?P<kind>{'|'.join(FILES)}) \"team-a\" is created as it stands"
)


@given(CREATED)
@when(CREATED)
def create(story: Story, kind: str) -> None:
    file = resources.manifests_root() / "examples" / "enabling" / FILES[kind]
    story.act()
    story.quotas.make_as_it_stands(kind, yaml.safe_load(file.read_text(encoding="utf-8")))
