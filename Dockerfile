# Two images from one wheelhouse, without network: make image fills it and builds both.
#   controller   the reference controller, as manifests/controller runs it
#   suite        queuecheck itself
# BASE is any image with a python3 of the version that the wheelhouse was filled for.
ARG BASE=python:3.13-slim-bookworm

FROM ${BASE} AS wheelhouse
COPY build/wheelhouse /wheelhouse
# The base need not have pip: its wheel runs as it is.
ENV PIP_NO_INDEX=1 PIP_FIND_LINKS=/wheelhouse PIP_ROOT_USER_ACTION=ignore
RUN python3 -m venv --without-pip /opt/queuecheck

FROM wheelhouse AS installed-controller
# Of what the suite needs, the controller imports only these, and the client library of the suite.
RUN pip="$(echo /wheelhouse/pip-*.whl)/pip" \
 && /opt/queuecheck/bin/python "$pip" install click kubernetes prometheus_client PyYAML tenacity \
 && /opt/queuecheck/bin/python "$pip" install --no-deps queuecheck

FROM wheelhouse AS installed-suite
RUN /opt/queuecheck/bin/python "$(echo /wheelhouse/pip-*.whl)/pip" install queuecheck

FROM ${BASE} AS controller
COPY --from=installed-controller /opt/queuecheck /opt/queuecheck
ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
USER 65532:65532
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s CMD ["/opt/queuecheck/bin/python", "-c", \
  "import urllib.request as r; r.urlopen('http://127.0.0.1:8080/healthz', timeout=4)"]
ENTRYPOINT ["/opt/queuecheck/bin/python", "-m", "controller"]
CMD ["--metrics-bind-address=:8080"]

FROM ${BASE} AS suite
COPY --from=installed-suite /opt/queuecheck /opt/queuecheck
ENV PATH=/opt/queuecheck/bin:/usr/local/bin:/usr/bin:/bin PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
# Where it may write: reports, and a home for what it caches.
RUN mkdir -m 0775 /results && chown 65532:65532 /results
ENV HOME=/results
USER 65532:65532
WORKDIR /results
ENTRYPOINT ["queuecheck"]
CMD ["--help"]
