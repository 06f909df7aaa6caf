# The dashboard in a container: a user without rights, with ledger and data on a volume.
FROM python:3.12-slim AS wheel
WORKDIR /source
COPY . .
# Versions as locked, for the packages that the dashboard needs.
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels . \
    && grep -oE '^[A-Za-z0-9._-]+==[^ ;]+' requirements.lock > /wheels/versions.txt

FROM python:3.12-slim
RUN useradd --create-home --uid 1000 dpcore && install -d -o dpcore /data
COPY --from=wheel /wheels /wheels
RUN pip install --no-cache-dir --constraint /wheels/versions.txt \
        "dpcore[app,auth,sign] @ file://$(ls /wheels/*.whl)"
USER dpcore
WORKDIR /data
ENV DPCORE_DATA=/data DPCORE_LEDGER=/data/ledger PYTHONUNBUFFERED=1
VOLUME /data
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8501/_stcore/health')"]
ENTRYPOINT ["dpcore", "dashboard", "--no-browser", "--address", "0.0.0.0"]
CMD ["--host", "localhost"]
