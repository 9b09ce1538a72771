# Goalpost: `make run` and `make test` are all that a fresh machine needs.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.NOTPARALLEL:

VERSION    ?= $(shell build/scripts/version.sh)
LDFLAGS    := -s -w -X main.version=$(VERSION)
WINDOW     := -tags desktop,production,webkit2_41
LINT       := .tools/golangci-lint-v2.15.0
NFPM       := .tools/nfpm-v2.45.1
CYCLONEDX  := .tools/cyclonedx-gomod-v1.10.0
ACTIONLINT := .tools/actionlint-v1.7.12
HELPER     := backend/host/sandbox/embed/goalpost-helper backend/host/sandbox/embed/goalpost-predicate
# Not ./...: node_modules holds Go files of other people.
PACKAGES   := . ./backend/... ./cmd/... ./frontend
PAGE       := frontend/dist/index.html
NPM        := frontend/node_modules/.installed
PAGE_FILES := $(shell find frontend/src frontend/public -type f 2>/dev/null) \
              $(wildcard frontend/*.html frontend/*.ts frontend/*.json frontend/*.js) \
              $(wildcard docs/*.md docs/guide/*.md docs/how-to/*.md)
SCRIPTS    := build/scripts
DOCS_NPM   := docs/node_modules/.installed
FORCE:
# What make writes to docs and dist; the long target of the day writes nothing (WRITE=).
WRITE      ?= -write
# The stages of make test.
STAGES     := lint unit ordinary frontend build e2e smoke
# Every second file of make e2e runs in the same process: these run first, and balance the two.
LONGEST_E2E := $(addprefix e2e/,$(addsuffix .test.mjs,browser gallery terminals keys))

##@ Everyday
.PHONY: help run test test-times build clean
help: ## list these targets
	@awk -f $(SCRIPTS)/help.awk $(MAKEFILE_LIST)

ifeq ($(DISPLAY)$(WAYLAND_DISPLAY),)
run: deps-demo bin/goalctl ## install what is missing, build, open the window (no display: run the demonstration goal)
	@echo "No display: running the demonstration goal without a window. Its model is scripted, no AI."
	@./bin/goalctl run --demo
else
run: deps-run bin/goalpost ## install what is missing, build, open the window (no display: run the demonstration goal)
	@./bin/goalpost
endif

test: deps-test ## install what tests need and run everything
	@$(SCRIPTS)/stages.sh $(STAGES)

test-times: deps-test ## run make test and write what each stage, package and test takes to dist/test-times.md
	@$(SCRIPTS)/testtimes.sh $(STAGES)

build: deps-build $(PAGE) bin/goalctl bin/goalpost ## build bin/goalpost and bin/goalctl

clean: ## remove everything that was built
	rm -rf bin dist e2e/out frontend/dist-gallery $(HELPER)
	rm -rf docs/.vitepress/dist docs/.vitepress/cache
	find frontend/dist -mindepth 1 ! -name .gitkeep -delete 2>/dev/null || true

##@ Parts of the test
.PHONY: lint vet unit race race-today ordinary cgroup-test frontend frontend-lint frontend-test e2e smoke bench crash faults leaks scenarios restore cross structure model-data looks screenshots hostile fuzz flood cover trust trace-cost fmt
lint: $(LINT) $(NPM) $(HELPER) ## linters and formatting of Go, shell and the test scripts; whether the types of the page are fresh
	GOFLAGS=-trimpath $(LINT) run $(PACKAGES)
	$(LINT) fmt --diff
	$(SCRIPTS)/shellcheck.sh
	go run $(SCRIPTS)/types.go -check
	frontend/node_modules/.bin/prettier --config frontend/.prettierrc.json --check e2e

vet: $(HELPER) ## go vet alone (lint does it, too)
	go vet -trimpath $(PACKAGES)

unit: $(HELPER) $(NPM) ## Go tests
	$(SCRIPTS)/inmemory.sh $(SCRIPTS)/unit.sh $(PACKAGES)

race: $(HELPER) $(NPM) ## the Go tests again, with the race detector
	$(SCRIPTS)/unit.sh -race $(PACKAGES)

race-today: $(HELPER) $(NPM) ## make race for the third of the packages that the date chooses, or for all if that takes less than ten minutes
	@$(SCRIPTS)/racetoday.sh $(PACKAGES)

ordinary: $(HELPER) $(PAGE) bin/goalctl ## the tests of sandbox, browser, keyring and a newcomer's path as an ordinary user, too; says how many ran as which user
	@$(SCRIPTS)/ordinary.sh

cgroup-test: deps-cgroup-test bin/goalctl ## limits that a real systemd makes, in a virtual machine: as root, as a user, and as a user without one
	@$(SCRIPTS)/cgroup-test.sh

frontend: $(NPM) ## types, linter, formatting, unit tests and build of the page and of the scripts for browser panes
	@$(SCRIPTS)/together.sh frontend-lint frontend-test
	@$(MAKE) --no-print-directory $(PAGE)

frontend-lint: $(NPM)
	cd frontend && npm run --silent typecheck
	cd frontend && npm run --silent lint
	cd frontend && npm run --silent format:check
	cd frontend && npm run --silent injected:check

frontend-test: $(NPM)
	cd frontend && npm run --silent test

e2e: $(PAGE) bin/goalctl ## the page in Chromium against goalctl serve, in two processes
	$(SCRIPTS)/nodetests.sh 2 $(LONGEST_E2E) $(filter-out $(LONGEST_E2E),$(wildcard e2e/*.test.mjs))

smoke: bin/goalpost e2e/out/automation.so ## the real window under Xvfb, with real keys
	$(SCRIPTS)/nodetests.sh 1 e2e/window/*.test.mjs

bench: deps-bench bin/goalpost e2e/out/automation.so ## speed figures (see docs/performance.md)
	node e2e/bench/run.mjs
	go test -run '^$$' -bench . -benchmem ./backend/...

crash: $(HELPER) ## 200 goals of 40 steps killed at random moments and resumed, 8 goals at once with 500 steps (unit does 10 of 20, and 50)
	set -o pipefail; go test ./backend/app/transcript -run 'TestKill_AtARandomMoment_LosesNothing|TestGoals_AtTheSameTime_DoNotMix' -crashes 200 -crashsteps 40 -steps 500 -timeout 90m -v | grep -v '^=== '

faults: $(HELPER) ## everything fails around goals that run: model, process, database, folder; writes docs/reliability.md (unit tries the quick ones)
	go test ./backend/app/faults -run TestFaults -count 1 -all $(WRITE) -timeout 90m

BROWSER_LEAKS := 'TestPanes_OpenedAndClosed_LeakNothing|TestNavigate_WhilePaneOpens_LoadsAddress$\
|TestScreencast_PageChangesProcess_ShowsNewPage|TestInput_DuringNavigation_ReachesNextDocument$\
|TestBusyViewer_PageChanges_GetsLastFrame|TestPicture_SecretMoves_IsRedacted'
leaks: $(HELPER) ## 200 browser panes opened and closed and 50 page processes ended leave nothing behind; 60 times what depends on the moment in browser panes (unit does 5, 2 and 6)
	set -o pipefail; go test ./backend/panes/browser -run $(BROWSER_LEAKS) -cycles 200 -crashes 50 -openings 60 -rounds 60 -pictures 60 -timeout 90m -v | grep -v '^=== '

scenarios: $(HELPER) ## every scenario of external agents with every agent's transcripts (unit plays most of them with two agents)
	go test ./backend/app -run TestEngine_Shapes -everyagent -timeout 20m

restore: $(HELPER) ## 500 random sequences of changes to a folder are undone and redone (unit does 100)
	go test ./backend/storage/snapshot -run TestRestore_AnyChanges_AreUndoneAndRedone -sequences 500 -timeout 20m

FUZZ ?= 20s
fuzz: $(HELPER) ## each fuzz test for FUZZ=20s (unit tries their seeds)
	$(SCRIPTS)/fuzz.sh $(FUZZ)

# One at a time, and without cgo: what the window needs of another system is not here.
cross: $(HELPER) ## that goalctl compiles for other processors and systems (it runs on Linux only)
	@for at in linux/arm64 darwin/arm64 darwin/amd64 windows/amd64; do \
	  echo "$$at"; CGO_ENABLED=0 GOOS=$${at%/*} GOARCH=$${at#*/} go build -o /dev/null ./cmd/goalctl || exit 1; \
	  CGO_ENABLED=0 GOOS=$${at%/*} GOARCH=$${at#*/} go vet ./backend/host/sandbox/ ./backend/storage/secret ./backend/host/notify ./backend/storage/config || exit 1; done
	CGO_ENABLED=0 GOOS=linux GOARCH=arm64 go build -o /dev/null ./cmd/goalpost-helper

structure: ## figures of how the code is built: files, arrows between them, largest types, names, lines
	go run build/scripts/structure.go

model-data: ## windows, prices and abilities of models (backend/agent/model/catalog/models.txt) from charm.land/catwalk (DATA_VERSION, or the newest)
	go run build/scripts/modeldata.go $(if $(DATA_VERSION),-version $(DATA_VERSION))

looks: $(NPM) ## every scene of the page in both themes and three sizes: axe, and what is cut, covered or out of reach (e2e looks at one of each kind)
	SCENES=all node --test e2e/gallery.test.mjs

screenshots: $(PAGE) bin/goalctl ## pictures of every screen in both themes, for a desktop and a phone, to docs/screenshots
	node e2e/screenshots/take.mjs docs/screenshots

hostile: $(HELPER) ## 10,000 random and hostile argument objects for each tool (unit tries 1,000)
	go test ./backend/agent/tools -run TestTools_HostileArguments_HaveNoEffect -hostile 10000 -v

flood: $(HELPER) ## a terminal that prints a gigabyte to a slow viewer, and the memory that takes (unit does 64 MiB)
	go test ./backend/panes/terminal -run 'TestFlood_Memory_IsBounded' -flood 1024 -timeout 20m -v

cover: $(HELPER) ## statement coverage of the engine by its own tests and by the transcripts
	$(SCRIPTS)/cover.sh

# An id that nobody has: the collection is played by an ordinary user, too.
TRUST_USER ?= 54321
trust: $(HELPER) deps-trust ## all attempts at a false "done", as this user and as TRUST_USER; writes dist/trust.md (unit does the fast ones)
	go test ./backend/app/trust -run TestTrust -count 1 -all $(WRITE) -user $(TRUST_USER) -timeout 90m

TRACE_PAIRS ?= 9
trace-cost: $(HELPER) deps-trust ## the table of what the trace of a check costs (docs/performance.md), in TRACE_PAIRS pairs of runs
	go test ./backend/app -run TestTrace_Cost_IsMeasured -v -tracecost $(TRACE_PAIRS) -timeout 4h

fmt: $(LINT) $(NPM) ## format everything
	$(LINT) fmt
	cd frontend && npm run --silent format
	frontend/node_modules/.bin/prettier --config frontend/.prettierrc.json --write e2e

##@ Packages
.PHONY: package package-reproducible package-test workflows
package: deps-package $(PAGE) $(HELPER) $(NFPM) $(CYCLONEDX) ## dist/: .deb, .rpm, archives, bill of materials, SHA256SUMS
	NFPM=$(NFPM) CYCLONEDX=$(CYCLONEDX) WINDOW="$(WINDOW)" $(SCRIPTS)/package.sh "$(VERSION)"

.PHONY: package-tools
package-tools: $(NFPM) $(CYCLONEDX)

package-reproducible: package ## build dist/ a second time, in a fresh clone with an empty cache, and compare the bytes
	$(SCRIPTS)/reproducible.sh "$(VERSION)"

package-test: deps-package-test package ## install, run, upgrade and remove the .deb in a clean root (see docs/how-to/packages.md)
	$(SCRIPTS)/package-test.sh "$(VERSION)"

workflows: $(ACTIONLINT) ## actionlint over .github/workflows
	$(ACTIONLINT)

##@ What is built
# go build has its own cache and knows its inputs better than make does.
.PHONY: goalctl goalpost helper injected types
goalctl: bin/goalctl ## the program without a window
goalpost: bin/goalpost ## the window
injected: $(NPM) ## the scripts that run in pages of browser panes; their bundles are committed
	cd frontend && npm run --silent injected
types: ## the types of what crosses the bridge to the page, from the Go sources; they are committed
	go run $(SCRIPTS)/types.go
helper: $(HELPER) ## the launcher of every child and the evaluator of expressions, embedded in both

bin/goalctl: $(HELPER) FORCE
	go build -trimpath -ldflags "$(LDFLAGS)" -o $@ ./cmd/goalctl

bin/goalpost: $(HELPER) $(PAGE) FORCE
	go build -trimpath $(WINDOW) -ldflags "$(LDFLAGS)" -o $@ .

$(HELPER): backend/host/sandbox/embed/%: FORCE
	@CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "-s -w" -o $@ ./cmd/$*

$(NPM): frontend/package.json frontend/package-lock.json
	@$(SCRIPTS)/need.sh node npm
	cd frontend && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

$(PAGE): $(NPM) $(PAGE_FILES)
	cd frontend && npm run --silent build
	@touch $@

e2e/out/automation.so: e2e/window/automation.c
	@mkdir -p $(@D)
	gcc -shared -fPIC -Wall -Wextra -o $@ $< $$(pkg-config --cflags --libs webkit2gtk-4.1) -ldl

# Tools in Go, at exact versions: the module that go install builds is after the name.
$(NFPM): MODULE := github.com/goreleaser/nfpm/v2/cmd/nfpm
$(CYCLONEDX): MODULE := github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod
$(ACTIONLINT): MODULE := github.com/rhysd/actionlint/cmd/actionlint
$(NFPM) $(CYCLONEDX) $(ACTIONLINT):
	@echo "building $(notdir $(MODULE)) once"
	GOBIN=$(CURDIR)/.tools go install $(MODULE)@v$(lastword $(subst -v, ,$@))
	@mv .tools/$(notdir $(MODULE)) $@

docs: $(DOCS_NPM) ## the documents as a site with search, in docs/.vitepress/dist; a warning is an error
	set -o pipefail; cd docs && npm run --silent build 2>&1 | tee >(cat >&2) | { ! grep -iE '(^|[^a-z])warn|\(!\)' >/dev/null; }
.PHONY: docs

# Not npm ci: the lock file lacks the packages of other systems, which not every registry offers.
$(DOCS_NPM): docs/package.json docs/package-lock.json
	@$(SCRIPTS)/need.sh node npm
	cd docs && npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

$(LINT):
	@echo "building golangci-lint once (a few minutes)"
	GOBIN=$(CURDIR)/.tools go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT:.tools/golangci-lint-%=%)
	@mv .tools/golangci-lint $@

##@ What is installed
OPENCODE := .tools/opencode-1.18.33
CODEX    := .tools/codex-2.6.0
GEMINI   := .tools/gemini-0.61.0
CLAUDE   := .tools/claude-0.101.0
.PHONY: opencode codex gemini claude engines
AGENTS ?= opencode codex gemini
# ENGINES=claude also installs and runs Claude Code, whose program is proprietary: see its terms.
engines: $(AGENTS) $(ENGINES) $(HELPER) ## the scenarios with real agents, and transcripts of others; writes the table of docs/engines.md
	set -o pipefail; go test ./backend/app -run TestEngine -count 1 -timeout 90m -json | go run build/scripts/engines.go $(WRITE)

opencode: $(OPENCODE)/.installed ## OpenCode, an external agent that the tests of engines drive (350 MB)
codex: $(CODEX)/.installed ## Codex, the same (460 MB)
gemini: $(GEMINI)/.installed ## Gemini CLI, the same (100 MB)
claude: $(CLAUDE)/.installed ## Claude Code with a Node.js for it, the same; its program is proprietary (520 MB)
# Not npm ci: the lock file lacks the packages of other systems, which not every registry offers.
.tools/%/.installed:
	@$(SCRIPTS)/need.sh node npm
	@mkdir -p $(@D)
	cp $^ $(@D)
	cd $(@D) && npm install --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@
$(foreach agent,$(OPENCODE) $(CODEX) $(GEMINI) $(CLAUDE),$(eval $(agent)/.installed: $(addprefix \
  backend/agent/engine/testdata/$(firstword $(subst -, ,$(notdir $(agent))))/,package.json package-lock.json)))

.PHONY: sandbox-profile
sandbox-profile: ## what a built program needs on Ubuntu 24.04 to make its sandbox: an AppArmor profile for its helper
	@$(SCRIPTS)/sandbox-profile.sh

.PHONY: deps deps-demo deps-build deps-run deps-test deps-bench deps-trust deps-package deps-package-test deps-cgroup-test
deps: deps-test ## everything that any target needs
deps-demo:
	@$(SCRIPTS)/need.sh go
	@$(SCRIPTS)/deps.sh cgo chromium
deps-build: ## what building needs
	@$(SCRIPTS)/need.sh go node npm
	@$(SCRIPTS)/deps.sh cgo gtk
deps-run: ## what building and running need
	@$(SCRIPTS)/need.sh go node npm
	@$(SCRIPTS)/deps.sh cgo gtk chromium
deps-test: ## what the tests need, too
	@$(SCRIPTS)/need.sh go node npm
	@$(SCRIPTS)/deps.sh cgo gtk chromium display shells
deps-bench: ## what the speed figures need, too: two other terminals to compare with
	@$(SCRIPTS)/need.sh go node npm
	@$(SCRIPTS)/deps.sh cgo gtk chromium display shells terminals
deps-package: ## what packages need, too: icons, validators, a compiler for arm64
	@$(SCRIPTS)/need.sh go node npm
	@$(SCRIPTS)/deps.sh cgo gtk package
deps-package-test: ## what the test of the packages needs, too: a maker of clean roots
	@$(SCRIPTS)/deps.sh roots
deps-cgroup-test: ## what the test of cgroups needs: a maker of clean roots, a virtual machine
	@$(SCRIPTS)/need.sh go
	@$(SCRIPTS)/deps.sh cgo machine
deps-trust: .tools/trust/.installed ## what the attempts at a false "done" need: interpreters, compilers, test runners
	@$(SCRIPTS)/need.sh go node npm
	@$(SCRIPTS)/deps.sh trust cgo chromium

.tools/trust/.installed: backend/app/trust/runners/package.json backend/app/trust/runners/package-lock.json
	@$(SCRIPTS)/need.sh node npm
	@mkdir -p .tools/trust/node
	cp $^ .tools/trust/node
	cd .tools/trust/node && npm ci --no-audit --no-fund --loglevel=error
	@touch $@
