# make demo     build, index the sample collection, search it
# make test     the ordinary tests: about three minutes on two processors
# make long     all tests of Go at full length: real collections, browsers, databases, more faults and crashes
# make torture  faults, crashes and damage at length
# make fuzz     every fuzz target, for FUZZTIME each
# make mutants  changes lines of the program, one at a time, and tells which the tests do not notice: some hours
# make wheel    dist/*.whl, the Python package for this machine, as version VERSION; WHEELS names other platforms, such as linux/arm64
# make site     dist/site, the pages as a site that works without a server; their links are checked
# make release  dist/, all that is published of version VERSION, from what is committed
# make packages makes a release twice, compares the two, and installs it in each way
# make python   the tests of the Python package; with SIMSEARCH_TESTS=long, with Spark, Ray and Daft
# make check    what CI runs: both levels of tests, format, vet, lint, race detector, purego, the vectors of arm64

GO      ?= go
BIN     := bin/simsearch
DEMO    := bin/demo-index

.PHONY: all build static demo wheel release packages site python test long torture check format vet lint race purego arm64 cross generated bench fuzz mutants clean

all: build

# The program needs no library and no other file, so that it starts in an empty container. HTTP/2 is left out: the server listens without
# TLS, and stores of objects speak HTTP/1.1.
# It has no tables for debuggers; a panic names functions and lines all the same. GOOS and GOARCH may name another platform, and BIN
# another file.
build:
	CGO_ENABLED=0 $(GO) build -trimpath -tags urfave_cli_no_docs,nethttpomithttp2 -ldflags '-s -w' -o $(BIN) ./cmd/simsearch

# The program that was built starts without anything else.
static: build
	$(GO) test $(TESTFLAGS) ./cmd/simsearch -run TestStatic -binary $(abspath $(BIN))

demo: build
	@rm -rf $(DEMO)
	@sh scripts/demo.sh $(BIN) $(DEMO)

VERSION ?= 0.0.0-dev
WHEELS  ?= $(shell $(GO) env GOOS)/$(shell $(GO) env GOARCH)
wheel:
	GO='$(GO)' sh scripts/wheels.sh $(VERSION) dist $(WHEELS)

# What makes the site is in tools, a module of its own.
site:
	cd tools && $(GO) vet ./site && $(GO) test -vet=off ./site && $(GO) run ./site .. ../dist/site

# The list of mutants is in tools/mutants. MUTANTS names parts of the paths of files whose mutants are wanted.
mutants: export TMPDIR := $(or $(TMPDIR),$(shell sh scripts/memory.sh),/tmp)
mutants:
	cd tools && $(GO) run ./mutants .. mutants/list.txt $(MUTANTS)

release:
	@[ '$(origin VERSION)' != file ] || { echo 'which version? make release VERSION=1.2.3'; exit 2; }
	$(GO) build -C tools/release -o $(abspath bin)/release . && bin/release $(VERSION) dist

packages:
	cd tools/release && $(GO) vet ./... && $(GO) test -v -count=1 -timeout 40m ./...

python:
	GO='$(GO)' sh scripts/python.sh

# Tests write many small files and force them to disk. In memory that takes a fifth less time of the processors, and no waiting.
# make torture writes to disk.
test long race python: export TMPDIR := $(or $(TMPDIR),$(shell sh scripts/memory.sh),/tmp)

# Tests make much that is soon forgotten: collecting it less often saves a fifth of the time. make vet vets them. Some tests wait for a
# child or for a time to pass, so that twice as many packages as processors are tested at once.
AT_ONCE ?= $(shell echo $$((2 * $$(getconf _NPROCESSORS_ONLN))))
test:
	GOGC=400 $(GO) test $(TESTFLAGS) -p $(AT_ONCE) -vet=off -timeout 40m ./...

# Package internal/tests/testkit says what is long. What is the same in both levels is taken from the cache.
long:
	SIMSEARCH_TESTS=long GOGC=400 $(GO) test $(TESTFLAGS) -p $(AT_ONCE) -vet=off -timeout 40m ./...
	cd bench && $(GO) test $(TESTFLAGS) -vet=off ./...

# Faults and damage at length: every fault, 400 crashes after each
# operation, every bit of a small index, 2,000 bits of an index of 120 MB, 100 million queries,
# passages in 100,000 documents, a server that is killed 200 times while a million texts come.
torture: export SIMSEARCH_TESTS=long
torture:
	$(GO) test ./internal/index -run 'Fails|PowerCut|EveryFlipped|EveryTruncation|Histories|LiveSegments' -torture -timeout 2h
	$(GO) test ./internal/index -run FlippedBits -flips 2000 -documents 125000 -timeout 2h
	$(GO) test ./tables -run ManyQueries -queries 100000000 -timeout 2h
	$(GO) test ./cmd/simsearch -run 'TestPlanted$$' -planted 100000 -timeout 2h
	$(GO) test ./internal/serve/service -run TestKilled -length -timeout 2h

check: format vet static site test long python race purego arm64 cross generated lint

format:
	@bad=$$(gofmt -l .); if [ -n "$$bad" ]; then echo "not gofmt-ed:"; echo "$$bad"; exit 1; fi

# Each mutant of tools/mutants changes lines that are there.
vet:
	$(GO) vet ./...
	cd bench && $(GO) vet ./...
	cd tools && $(GO) vet ./mutants ./typecheck && $(GO) test -count=1 -vet=off ./mutants

# The linter is pinned in tools/go.mod, a module of its own.
lint:
	$(GO) tool -modfile=tools/go.mod golangci-lint run ./...

# Packages that start goroutines, or work by all threads, are tested by the race detector. What is tried one after the other is left to
# make test: faults, damage, crashes, what reads pages, and measurements. A program with the race detector sleeps for a second when it
# ends, unless it is told not to.
RACED = $(shell grep -rlE '^\s*go [a-zA-Z]|\.Go\b|"simsearch/internal/ground/parallel"' --include='*.go' --exclude='*_test.go' \
	--exclude-dir=bench --exclude-dir=tools --exclude-dir=cmd . | xargs -n 1 dirname | sort -u)
ALONE := PowerCut|Fail|Damage|Flipped|Truncation|Killed|Pages|Large|Estimate|GoesOn|Space|Expansion|Reread|Advice|Quality|Measured
race:
	GORACE=atexit_sleep_ms=0 GOGC=400 $(GO) test $(TESTFLAGS) -race -vet=off -skip '$(ALONE)' -timeout 40m $(RACED)

# The build without assembly has every feature.
purego:
	$(GO) test $(TESTFLAGS) -tags purego ./internal/match/kernels ./hamming ./tables ./fingerprint ./preprocess ./internal/index

# The vectors of arm64 are tested by an emulator. What takes it long, and has no vectors, is left out.
SLOW := UnitsOf|Tokens|ChunksOf|Folds|Marks|DropIs|Foreign|Brackets|Spaces|Python|Office
arm64: export GOOS := linux
arm64: export GOARCH := arm64
arm64:
	@command -v qemu-aarch64 > /dev/null || { echo 'make arm64 wants the program qemu-aarch64: apt install qemu-user'; exit 1; }
	CGO_ENABLED=0 SIMSEARCH_REQUIRE_BACKENDS=neon $(GO) test $(TESTFLAGS) -exec qemu-aarch64 -vet=asmdecl -skip '$(SLOW)' \
	  ./internal/match/kernels ./fingerprint ./preprocess ./internal/files/syntax

# What is built only elsewhere has right types: other systems, big-endian machines. On 32-bit systems the build ends with one line that
# says so.
cross:
	cd tools && $(GO) run ./typecheck .. windows/amd64 windows/arm64 darwin/arm64 linux/s390x
	@for arch in 386 arm mips mipsle; do \
	  said=$$(GOARCH=$$arch $(GO) build ./internal/match/kernels 2>&1 | grep -v '^#'); \
	  [ "$$said" = "internal/match/kernels/bits32.go:7:11: undefined: simsearch_needs_a_64_bit_system" ] || { echo "$$arch does not say in one line that it wants 64 bits: $$said"; exit 1; }; \
	done

# What is generated must be what the generators write; the search for designs takes
# a minute.
generated:
	$(GO) generate ./...
	@git diff --exit-code -- preprocess/stopwords tables/coverings.go || { echo "generated files differ: commit what go generate writes"; exit 1; }

# Sizes from SIMSEARCH_BENCH_N on; see tables/bench_test.go.
bench:
	$(GO) test -run '^$$' -bench . ./internal/match/kernels ./hamming ./tables ./fingerprint ./minhash ./preprocess ./internal/files/corpus ./internal/index ./eval ./internal/ground/ints

# All targets that there are, one after the other.
FUZZTIME ?= 1m
fuzz:
	@set -e; for dir in $$(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n 1 dirname | sort -u); do \
	  targets=$$($(GO) test $$dir -list '^Fuzz' | grep '^Fuzz'); \
	  for target in $$targets; do \
	    echo "$$dir $$target"; \
	    $(GO) test $$dir -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x; \
	  done; \
	done

clean:
	rm -rf bin dist
