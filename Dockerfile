FROM python:3.12-slim AS build
WORKDIR /src
COPY requirements.txt .
RUN python -m venv /opt/horacerta \
    && /opt/horacerta/bin/pip install --no-cache-dir -r requirements.txt
COPY pyproject.toml README.md LICENSE ./
COPY bot bot
COPY tools tools
COPY models models
COPY templates templates
RUN /opt/horacerta/bin/pip install --no-cache-dir --no-deps .

FROM python:3.12-slim
RUN useradd --system --uid 10001 --home-dir /data --create-home horacerta
COPY --from=build /opt/horacerta /opt/horacerta
ENV PATH=/opt/horacerta/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    HOST=0.0.0.0 \
    DATABASE_URL=sqlite:////data/horacerta.db
USER 10001
WORKDIR /data
VOLUME /data
EXPOSE 8000
# Alive, not ready: a database that is away for a while is no reason to end the process.
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "import os, urllib.request as r; r.urlopen('http://127.0.0.1:' + os.environ.get('PORT', '8000') + '/healthz', timeout=4)"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["horacerta"]
CMD ["serve"]
