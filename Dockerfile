# Kith's image: one static binary that runs as nobody in particular, with root certificates and without a shell.
# make image labels it with what it was made from; docker compose up --build makes it too.
FROM --platform=$BUILDPLATFORM node:22-bookworm-slim AS page
WORKDIR /src/clients/page
COPY clients/page/package.json clients/page/package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund

FROM --platform=$BUILDPLATFORM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
COPY clients/go/go.mod clients/go/
RUN --mount=type=cache,target=/go/pkg/mod go mod download
# With .git, which tells the binary its version and commit.
COPY . .
COPY --from=page /src/clients/page/node_modules clients/page/node_modules
ARG TARGETOS TARGETARCH VERSION COMMIT DATE
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    GOOS=$TARGETOS GOARCH=$TARGETARCH make build PAGE=1

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /src/bin/kith /usr/local/bin/kith
ENV KITH_LISTEN=0.0.0.0:8080
EXPOSE 8080
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/kith"]
CMD ["serve"]
HEALTHCHECK --interval=10s --timeout=6s --start-period=60s --retries=3 CMD ["/usr/local/bin/kith", "health"]
ARG VERSION COMMIT DATE
LABEL org.opencontainers.image.title="Kith" \
      io.modelcontextprotocol.server.name="io.github.kith-memory/kith" \
      org.opencontainers.image.description="A graph memory service for AI agents" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${COMMIT}" \
      org.opencontainers.image.created="${DATE}"
