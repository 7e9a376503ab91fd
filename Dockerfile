# Kith's image: one static binary that runs as nobody in particular.
#
#   docker build -t kith .                                    builds it from source
#   make build && docker build --target prebuilt -t kith .    takes bin/kith as it is, for where there is no Go image
#
# prebuilt stands before build so that no builder, not even the legacy one, makes the build stage for it.
ARG BUILD_IMAGE=golang:1.26-bookworm
ARG BASE_IMAGE=debian:bookworm-slim

FROM ${BASE_IMAGE} AS base
RUN install -d -o 65532 -g 65532 -m 700 /var/lib/kith
ENV KITH_DATA=/var/lib/kith KITH_LISTEN=0.0.0.0:8080
VOLUME /var/lib/kith
EXPOSE 8080
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/kith"]
CMD ["serve"]
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["/usr/local/bin/kith", "health"]

# Root certificates, for an LLM or a login over HTTPS, are those of BASE_IMAGE, if it has any.
FROM base AS prebuilt
COPY bin/kith /usr/local/bin/kith

FROM ${BUILD_IMAGE} AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=dev
RUN make build VERSION="${VERSION}"

FROM base AS release
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /src/bin/kith /usr/local/bin/kith
