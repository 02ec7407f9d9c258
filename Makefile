# make run      installs missing packages, builds, makes the sample thumbnails and says where they are
# make test     installs missing packages, builds, runs every test
# make check    the format, the architecture, the documents, and that planted faults fit (part of CI)
# make docs     builds the libraries' documentation with the toolchain's docc; any warning is an error (part of CI)
# make fuzz     damaged images and libFuzzer under the address sanitizer for a minute (FUZZ_SECONDS, FUZZ_FILES: more)
# make faults   kills, power cuts, full disks, lying servers, hostile input: F1 to F51, with a table of figures (root);
#               F="F3 F17": only these; TRIES, SEED: how often, and the random choices of an earlier run;
#               CI=1: those that take some minutes together, with fewer tries
# make test-all what CI does, and what takes hours beside it (root; a scheduled workflow runs it)
# make threads  every test under the thread sanitizer; any report is an error
# make bench    measures against aria2c + vipsthumbnail, libvips, Pillow and img2dataset (installs them and nginx)
# make install  builds the program with Swift's runtime inside, so that it runs without Swift, and installs it below PREFIX
#               (/usr/local) with its manual pages and completions; DESTDIR is put before PREFIX
# make package  makes a Debian package and a tarball in .build/packages
# make try-packages  installs both into fresh roots of Debian without Swift, and runs the samples there (root)
# make clean    removes everything that builds and runs created

SHELL = /bin/bash

# SwiftPM passes the package's traits in the order of a hash: without a fixed one, every build compiles everything again.
export SWIFT_DETERMINISTIC_HASHING = 1

BUILD = swift build -c release
BINARY = .build/release/nuke-batch
SERVER = .build/release/photo-server

TEST_SECONDS = 3600
FUZZ_SECONDS = 60
FUZZ_FILES = Tests/Fuzzing/seeds Jobs/photos
FUZZ_TARGETS =
F =

.PHONY: run test test-all check docs fuzz faults threads bench build install package try-packages packages clean

# Each target builds the products that it runs, and no more.
run: packages
	$(BUILD) --product nuke-batch
	$(BUILD) --product photo-server
	@$(SERVER) Jobs/photos 8099 & server=$$!; trap "kill $$server" EXIT; \
	$(BINARY) run Jobs/thumbnails.json && echo "The thumbnails are in Jobs/out/thumbnails."

# Six tests at a time, so that each one's time limit is its own also on a busy machine: a thousand that begin at once
# wait for each other's turns. A long log hides what failed in its middle: failures are told again at its end. A test that
# hangs ends the run after TEST_SECONDS, as its own time limit can only cancel what heeds that. Listing the tests builds them;
# they run with hashes of their own, since no order may matter to them.
test: packages
	@.ci/install-packages Tests/packages.txt
	@Integrations/parquet/test
	@mkdir -p .build; swift test list -c release 2>&1 >.build/tests
	@set -o pipefail; timeout --foreground --signal=INT --kill-after=30 $(TEST_SECONDS) \
	env -u SWIFT_DETERMINISTIC_HASHING swift test --skip-build -c release --experimental-maximum-parallelization-width 6 2>&1 | tee .build/test.log \
	|| { echo; echo "Failed:"; awk '/^(◇|✔|✘|➜)/ { shown = /^✘/ } shown || /: error: /' .build/test.log; exit 1; }

test-all:
	.ci/run-all

check: packages
	swift format lint --strict --recursive Package.swift Sources Tests Examples
	.ci/check-architecture
	.ci/check-docs
	Tests/PlantedFaults/run --check

docs: packages
	.ci/check-documentation

fuzz: packages
	FUZZ_FILES="$(FUZZ_FILES)" Tests/Fuzzing/run $(FUZZ_SECONDS) $(FUZZ_TARGETS)

faults: packages
	$(BUILD) --product nuke-batch
	$(BUILD) --product loopback-store
	$(BUILD) --product cache-bench
	.ci/install-packages Tests/Faults/packages.txt
	Tests/Faults/run $(F) $(if $(CI),--ci) $(if $(TRIES),--tries $(TRIES)) $(if $(SEED),--seed $(SEED))

threads: packages
	Tests/Sanitizers/run

bench: packages
	$(BUILD) --product nuke-batch
	.ci/install-packages Benchmarks/packages.txt
	Benchmarks/throughput/run

build: packages
	$(BUILD)

PREFIX = /usr/local
WHOLE = .build/whole/$(KIND)
# program, or portable: see Integrations/standalone/build
KIND = program
INSTALL = install -D -m 644 /dev/stdin $(DESTDIR)$(PREFIX)/share

install: packages
	Integrations/standalone/build $(KIND)
	install -D $(WHOLE)/bin/nuke-batch $(DESTDIR)$(PREFIX)/bin/nuke-batch
	install -D -t $(DESTDIR)$(PREFIX)/libexec/nuke-batch $(WHOLE)/libexec/nuke-batch/*
	$(WHOLE)/bin/nuke-batch manual | $(INSTALL)/man/man1/nuke-batch.1
	$(WHOLE)/bin/nuke-batch manual 5 | $(INSTALL)/man/man5/nuke-batch.5
	$(WHOLE)/bin/nuke-batch completions bash | $(INSTALL)/bash-completion/completions/nuke-batch
	$(WHOLE)/bin/nuke-batch completions zsh | $(INSTALL)/zsh/site-functions/_nuke-batch
	$(WHOLE)/bin/nuke-batch completions fish | $(INSTALL)/fish/vendor_completions.d/nuke-batch.fish

package: packages
	Integrations/package

try-packages: package
	Integrations/try-packages

packages:
	@.ci/install-packages

clean:
	rm -rf .build Jobs/out Jobs/cache Jobs/.nuke-batch Benchmarks/work
