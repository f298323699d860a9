/** A makefile, and what becomes of it: the same files as with make, or words of what is left out. `>` stands for the tab of a recipe. */
export interface MakeShape {
  readonly title: string;
  readonly makefile: string;
  readonly files?: Readonly<Record<string, string>>;
  /** Of make that the workflow is compared with. */
  readonly flags?: readonly string[];
  readonly leftOut?: RegExp;
}

const one = (title: string, makefile: string, more: Partial<MakeShape> = {}): MakeShape => ({
  title,
  makefile,
  ...more,
});

const VARIABLES = [
  one('a target with a variable of its own', 'r: W = 5\nr: d.x\n>cat d.x > r; echo $(W) >> r\nd.x: ; echo d > $@'),
  one('a variable of a target behind its rule', 'r: d.x\n>cat d.x > r; echo $(W) >> r\nd.x: ; echo d > $@\nr: W = 5'),
  one(
    'a variable of a target that its prerequisites inherit',
    'all: W := 7\nall: d.x\n>cat d.x > r\nd.x: e.x ; echo $(W) > $@\ne.x: ; echo $(W) > $@',
  ),
  one(
    'an exported variable of one target',
    'all: a.x b.x\na.x: export W = 5\na.x: ; echo "$$W" > $@\nb.x: ; echo "$$W" > $@',
  ),
  one(
    'an exported variable of a target that its prerequisite inherits',
    'a.x: export W = 5\na.x: b.x ; cat b.x > $@; echo "$$W" >> $@\nb.x: ; echo "$$W" > $@',
  ),
  one(
    'a variable that is exported everywhere and has a value of its own in one target',
    'export W = 1\nall: a.x b.x\na.x: W = 5\na.x: ; echo "$$W" > $@\nb.x: ; echo "$$W" > $@',
  ),
  one(
    'two variables of a target, one appended',
    'W = a\nr: W += b\nr: V = 1\nr: d.x\n>cat d.x > r; echo $(W)$(V) >> r\nd.x: ; echo $(W) > $@',
  ),
  one('override of a variable of a target', 'r: override W = 5\nr: d.x\n>echo $(W) > r\nd.x: ; echo d > $@'),
  one('undefine', 'W = 5\nundefine W\nr: d.x ; echo "[$(W)]" > $@\nd.x: ; echo d > $@'),
  one('a private variable', 'r: private W = 5\nr: d.x\n>echo "[$(W)]" > r\nd.x: ; echo "[$(W)]" > $@'),
  one(
    'a private variable that is exported',
    'r: private export W = 5\nr: d.x\n>echo "[$$W]" > r\nd.x: ; echo "[$$W]" > $@',
    {
      leftOut: /the variable W of r/,
    },
  ),
  one('a variable of a pattern of targets', '%.x: W = 5\nr: d.x e.y ; cat d.x e.y > $@\nd.x e.y: ; echo "[$(W)]" > $@'),
  one(
    'an exported variable of a pattern of targets',
    '%.x: export W = 5\nr: d.x e.y ; cat d.x e.y > $@\nd.x e.y: ; echo "[$$W]" > $@',
  ),
  one(
    'a value of several lines in a variable of a target',
    'define V\na: b\n#  File does not exist.\n\nr: q\nendef\nr: W := $(V)\nr: d.x\n>cat d.x > r\nd.x: ; echo d > $@',
  ),
  one(
    'a value of several lines that is recursive',
    'define V\n\nr: q\n\nendef\nr: W = $(V)\nr: d.x\n>cat d.x > r\nd.x: ; echo d > $@',
  ),
  one('an exported variable with the name of the target', 'export W = $@\nall: a.x b.x\na.x b.x: ; echo "$$W" > $@'),
  one(
    'exported variables with other automatic variables, also behind a name',
    'D = $(^:%=<%>)\nexport E = $(D) $*\nexport F = $(words $^) $(@D)\nexport G := $@\nall: b/a.x\nb/a.x: b/%.x: c.x d.x ; echo "$$E $$F [$$G]" > $@\nc.x d.x: ; echo "$$E $$F [$$G]" > $@',
    { files: { 'b/keep': '' } },
  ),
  one(
    'an exported variable of one target with automatic variables',
    'all: a.x b.x ; cat $^ > r\na.x: export W = $@ $^\na.x: c.x ; echo "$$W" > $@\nb.x: c.x ; echo "$$W" > $@\nc.x: ; echo "$$W" > $@',
  ),
  one('export of all variables', 'export\nW = 5\nall: a.x\na.x: ; echo "$$W" > $@'),
  one('.EXPORT_ALL_VARIABLES', '.EXPORT_ALL_VARIABLES:\nW = 5\na.x: V = 6\na.x: ; echo "$$W$$V" > $@'),
  one('unexport of a variable of the makefile', 'export W = 5\nunexport W\na.x: ; echo "[$$W]" > $@'),
  one('unexport of a variable of the shell', 'unexport TORC_TEST_SHELL\na.x: ; echo "[$$TORC_TEST_SHELL]" > $@'),
  one(
    'a variable of the shell',
    'all: a.x b.x\na.x: ; echo "[$$TORC_TEST_SHELL]" > $@\nb.x: ; echo "[$(TORC_TEST_SHELL)]" > $@',
  ),
  one(
    'an exported value with line breaks and quotes',
    'define W\nit\'s\n"two" lines $$$$\nendef\nexport W\na.x: ; echo "$$W" > $@',
  ),
  one(
    'a shell of one target',
    'a.x: SHELL = /bin/bash\na.x: ; [[ a == a ]] && echo $${BASH_VERSION:+bash} > $@\nall: a.x b.x\nb.x: ; echo $${BASH_VERSION:-none} > $@\n.DEFAULT_GOAL := all',
  ),
  one(
    'flags of the shell of one target',
    'all: a.x b.x\na.x: .SHELLFLAGS = -ec\na.x:\n>-false; echo no > $@\n>echo yes >> $@\nb.x: ; false; echo b > $@',
  ),
] as const;

const RULES = [
  one(
    'double-colon rules',
    'r.x:: d.x\n>cat d.x >> r.x\nr.x:: e.x\n>cat e.x >> r.x\nd.x: ; echo d > $@\ne.x: ; echo e > $@',
  ),
  one(
    'double-colon rules with a variable of the target',
    'r.x: W = 5\nr.x:: d.x\n>echo $(W) >> r.x; cat d.x >> r.x\nr.x:: e.x\n>cat e.x >> r.x\nd.x e.x: ; echo $@$(W) > $@',
  ),
  one('a terminal pattern rule', 'a.o: a.c\n%.o:: %.c ; cp $< $@\na.c: ; echo c > $@'),
  one('prerequisites in several rules', 'r: a.x\nr: b.x\nr:\n>cat $^ > $@\nr: c.x\na.x b.x c.x: ; echo $@ > $@'),
  one('order-only prerequisites', 'out/r.x: d.x | out\n>cat $^ > $@\nout: ; mkdir $@\nd.x: ; echo d > $@'),
  one(
    'a prerequisite for the order and for its contents',
    'r.x: p d.x\n>cat $^ > $@\np: | d.x\n.PHONY: p\nd.x: ; echo d > $@',
  ),
  one('grouped targets', 'all: a.x b.x ; cat $^ > r\na.x b.x &: d.x\n>cat d.x > a.x; cp a.x b.x\nd.x: ; echo d > $@'),
  one(
    'a pattern with two targets',
    'all: a.x a.y ; cat $^ > r\n%.x %.y: %.z\n>cp $< $*.x; cp $< $*.y\na.z: ; echo z > $@',
  ),
  one(
    'one rule for two targets',
    'all: a.x b.x ; cat $^ > r\na.x b.x: d.x\n>cat d.x > $@; echo $@ >> $@\nd.x: ; echo d > $@',
  ),
  one('static patterns', 'O = a.o b.o\nall: $(O) ; cat $^ > r\n$(O): %.o: %.c ; cp $< $@\n%.c: ; echo $* > $@'),
  one('pattern rules in a chain', 'r: a.3 ; cat $< > $@\n%.3: %.2 ; cp $< $@\n%.2: %.1 ; cp $< $@\na.1: ; echo 1 > $@'),
  one('suffix rules', '.SUFFIXES:\n.SUFFIXES: .c .o\nr: a.o ; cat $< > $@\n.c.o: ; cp $< $@', {
    files: { 'a.c': 'c\n' },
  }),
  one('a built-in rule', 'CC = cat\nOUTPUT_OPTION = > $@\na.o: a.h\n', { files: { 'a.c': 'c\n', 'a.h': 'h\n' } }),
  one('a built-in rule with what it needs', 'COMPILE.c = cat\nOUTPUT_OPTION = > $@\nr: a.o ; cat a.o > r\na.o: a.h\n', {
    files: { 'a.c': 'c\n', 'a.h': 'h\n' },
  }),
  one('.DEFAULT', 'r: a.q ; cat a.q > $@\n.DEFAULT: ; echo $@ > $@'),
  one('VPATH', 'VPATH = src\nr: a.o ; cat $^ > $@\n%.o: %.c b.h ; cat $^ > $@', {
    files: { 'src/a.c': 'c\n', 'src/b.h': 'h\n' },
  }),
  one('vpath for a pattern', 'vpath %.c src lib\nr: a.o b.o ; cat $^ > $@\n%.o: %.c ; cat $< > $@', {
    files: { 'src/a.c': 'a\n', 'lib/b.c': 'b\n' },
  }),
  one(
    'a file on the search path that a rule makes',
    'VPATH = src\nr: a.o ; cat $^ > $@\n%.o: %.c ; cat $< > $@\nsrc/a.c: ; echo made > $@',
    { files: { 'src/keep': '' } },
  ),
  one(
    'a file on the search path that is made there again',
    'VPATH = src\nr: a.c ; cat $< > $@\na.c: b.x ; cat b.x > $@\nb.x: ; echo b > $@',
    { files: { 'src/a.c': 'old\n' } },
  ),
  one('GPATH', 'VPATH = src\nGPATH = src\nr: a.c ; cat $< > $@\na.c: b.x ; cat b.x > $@\nb.x: ; echo b > $@', {
    files: { 'src/a.c': 'old\n' },
  }),
  one(
    '.SECONDEXPANSION',
    '.SECONDEXPANSION:\nD = b.x\nr: $$(D) $$(addsuffix .y,$$@) ; cat $^ > $@\nb.x r.y: ; echo $@ > $@',
  ),
  one(
    '.SECONDEXPANSION with a variable of the target',
    '.SECONDEXPANSION:\nr: D = b.x\nr: $$(D) ; cat $^ > $@\nb.x: ; echo $@ > $@',
  ),
  one(
    '.EXTRA_PREREQS',
    'r: a.x ; cat $^ > $@; test -f b.x && echo found >> $@\nr: .EXTRA_PREREQS = b.x\na.x b.x: ; echo $@ > $@',
  ),
  one('an empty recipe', 'r: force ; echo r > $@\nforce: ;'),
  one(
    'an empty recipe of a file that its prerequisite makes',
    'r: a.h ; cat a.h > $@\na.h: gen ;\ngen: ; echo h > a.h; touch gen',
  ),
  one('a rule without a recipe', 'r: a.x ; cat b.x > $@\na.x: b.x\nb.x: ; echo b > $@\n.PHONY: a.x'),
  one(
    'a target of a rule without prerequisites and recipe',
    'r: FORCE d.x ; cat d.x > $@\nd.x: FORCE ; echo d > $@\nFORCE:',
  ),
  one('.PHONY', '.PHONY: all clean\nall: a.x ; echo all > r\na.x: ; echo a > $@\nclean: ; rm -f a.x'),
  one('.INTERMEDIATE', '.INTERMEDIATE: b.x\nr: b.x ; cat b.x > $@\nb.x: c.x ; cat c.x > $@\nc.x: ; echo c > $@'),
  one(
    '.PRECIOUS and .SECONDARY',
    '.PRECIOUS: b.x\n.SECONDARY:\nr: b.x ; cat b.x > $@\nb.x: c.x ; cat c.x > $@\nc.x: ; echo c > $@',
  ),
  one('.NOTPARALLEL', '.NOTPARALLEL:\nr: a.x b.x ; cat $^ > $@\na.x: ; echo a > $@\nb.x: ; echo b > $@', {
    leftOut: /\.NOTPARALLEL/,
  }),
  one(
    'a member of an archive',
    'r: l.a ; cat l.a > /dev/null; echo r > $@\nl.a: l.a(m.x) ;\n(%): % ; ar cr $@ $<\nm.x: ; echo m > $@',
  ),
  one('a diamond', 'r: b.x c.x ; cat $^ > $@\nb.x c.x: d.x ; cat d.x > $@; echo $@ >> $@\nd.x: ; echo d > $@'),
  one(
    'names in other forms',
    'r: ./a.x ././b.x sub//c.x ; cat $^ > $@\na.x b.x: ; echo $@ > $@\nsub//c.x: ; echo c > $@',
    { files: { 'sub/keep': '' } },
  ),
] as const;

const TEXTS = [
  one('.ONESHELL', '.ONESHELL:\nr:\n>W=5\n>@echo $$W > r\n>-echo two >> r'),
  one('.ONESHELL whose first line has a prefix', '.ONESHELL:\nr: d.x\n>-echo $$W > r\n>false\nd.x: ; echo d > $@'),
  one(
    '.ONESHELL with another shell',
    '.ONESHELL:\nSHELL = /usr/bin/env\n.SHELLFLAGS = bash -c\nr:\n>W=6\n>echo $$W > r',
  ),
  one('include', 'r: d.x ; cat d.x > $@\ninclude rules.mk', {
    files: { 'rules.mk': 'r: W = 5\nd.x: ; echo $(W) > $@\n' },
  }),
  one(
    'a list of makefiles that is emptied',
    'include rules.mk\nMAKEFILE_LIST :=\nall: r\nr: a.x ; cat a.x > $@\na.x: ; echo "$$W" > $@\nrules.mk: gen ; touch $@\n.DEFAULT_GOAL := all',
    { files: { 'rules.mk': 'a.x: export W = 5\n', gen: '' } },
  ),
  one('-include of a missing file', 'r: d.x ; cat d.x > $@\n-include missing.mk\nd.x: ; echo d > $@'),
  one(
    'an included file that a rule makes',
    'r: d.x ; cat d.x > $@\ninclude made.mk\nmade.mk: ; echo "d.x: ; echo made > d.x" > $@',
  ),
  one(
    'a value of several lines in quotes, which make cuts',
    "define V\none\ntwo\nendef\nr: M := $(V)\nr: d.x\n>echo '$(M)' > r\nd.x: ; echo d > $@",
  ),
  one('define with several lines', 'define B\necho 1 > $@\n@echo 2 >> $@\nendef\nr:\n>$(B)'),
  one('define with a prefix inside', 'define B\n-false\necho 2 > $@\nendef\nr:\n>$(B)\n>echo 3 >> $@'),
  one('a prefix in a variable', 'I = -\nQ = @\nr:\n>$(Q)$(I)false\n>$(Q)echo 2 > $@'),
  one('a prefix before a define', 'define B\nfalse\necho 2 > $@\nendef\nr:\n>-$(B)\n>echo 3 >> $@'),
  one('a line that is empty in the end', 'r:\n>$(EMPTY)\n>-$(EMPTY)\n>echo 2 > $@\n>-false\n>echo 3 >> $@'),
  one(
    'a folder that $(shell) makes as a recipe is expanded',
    'r: out/a.x ; cat out/a.x > $@\nout/a.x: b.x\n>$(shell mkdir -p $(@D))\n>-false\n>echo a > $@\nb.x: ; echo b > $@',
    { leftOut: /\$\(shell/ },
  ),
  one(
    'eval',
    'define T\n$(1).x: ; echo $(1) > $$@\nendef\n$(foreach n,a b,$(eval $(call T,$(n))))\nr: a.x b.x ; cat $^ > $@\n.DEFAULT_GOAL := r',
  ),
  one('eval in a recipe', 'r: a.x ; cat a.x > $@; echo $(W) >> $@\na.x:\n>$(eval W := 5)echo a > $@'),
  one('messages of $(info)', '$(info begin)\nr: a.x\n>$(info for r)echo r > $@\na.x:\n>echo a > $@'),
  one(
    'lines of $(info) that look like lines of make',
    "r: a.x\n>$(info Makefile:3: target 'q' does not exist)echo r > $@\na.x: ; echo a > $@",
  ),
  one(
    'lines of $(info) and $(shell) that look like lines of make',
    "r: a.x\n>$(info Makefile:3: target 'r' does not exist)$(shell true)echo r > $@\na.x: ; echo a > $@",
    {
      leftOut: /another line/,
    },
  ),
  one(
    'lines that look like lines of make',
    'r: a.x\n>echo "Makefile:3: target \'q\' does not exist" > $@\n>echo "# Files" >> $@\na.x:\n>echo "# Make data base, printed on " > $@',
  ),
  one('prefixes', 'r:\n>-false\n>@echo 1 > $@\n>+echo 2 >> $@\n>@-false\n>- @ echo 3 >> $@'),
  one('a line that fails', 'r: a.x b.x ; cat $^ > $@\na.x:\n>echo a > $@\n>false\n>echo no >> $@\nb.x: ; echo b > $@'),
  one('.IGNORE for one target', '.IGNORE: a.x\nr: a.x ; cat $^ > $@\na.x:\n>echo a > $@\n>false\n>echo yes >> $@'),
  one('-i in MAKEFLAGS', 'MAKEFLAGS += -i\nr: a.x ; cat $^ > $@\na.x:\n>echo a > $@\n>false\n>echo yes >> $@'),
  one('-rR in MAKEFLAGS', 'MAKEFLAGS += -rR --no-print-directory\nr: a.x ; cat $^ > $@\na.x: ; echo "$(CC)" > $@'),
  one('-j in MAKEFLAGS', 'MAKEFLAGS += -j4 -k\nr: a.x b.x ; cat $^ > $@\na.x b.x: ; echo $@ > $@'),
  one('make in a recipe', 'r: d.x\n>$(MAKE) -s -C sub\n>cat sub/s.x > r\nd.x: ; echo d > $@', {
    files: { 'sub/Makefile': 's.x: ; echo sub > $@\n' },
  }),
  one(
    'make in a recipe without built-in rules',
    'MAKEFLAGS += -r\nr: d.x\n>$(MAKE) -s -C sub\n>cat sub/s.x > r\nd.x: ; echo d > $@',
    { files: { 'sub/Makefile': 's.x: ; echo "$(findstring r,$(firstword $(MAKEFLAGS)))" > $@\n' } },
  ),
  one(
    'conditionals',
    'ifeq ($(W),)\nr: a.x\nelse\nr: b.x\nendif\nr: ; cat a.x > $@\nifdef TORC_TEST_SHELL\na.x: ; echo shell > $@\nelse\na.x: ; echo none > $@\nendif',
  ),
  one(
    '$$ and other signs of the shell',
    "r: a.x\n>for i in 1 2; do echo $$i '$$HOME' \"a\\tb\" >> $@; done; echo `cat a.x` $$(cat a.x) >> $@\na.x: ; echo 'a #b \\' > $@",
  ),
  one(
    'a recipe of several lines',
    'r: a.x\n>if test -f a.x; then \\\n>  echo found > $@; \\\n>else \\\n  echo no > $@; \\\n>fi\na.x: ; echo a \\\n  b > $@',
  ),
  one(
    'comments',
    '# first\nr: a.x # second\n># third\n>echo r \\# > $@ # fourth\n# fifth\n>echo s >> $@\na.x: ; echo a > $@ # sixth',
  ),
  one('.RECIPEPREFIX', '.RECIPEPREFIX = |\nr: a.x\n|-false\n|echo r > $@\na.x: ; echo a > $@'),
  one(
    '.POSIX',
    '.POSIX:\nr: a.x b.x ; cat $^ > $@\na.x: ; echo a > $@; false; echo no >> $@\nb.x:\n>-echo b > $@; false; echo yes >> $@',
  ),
  one('.DELETE_ON_ERROR', '.DELETE_ON_ERROR:\nr: a.x ; cat $^ > $@\na.x: ; echo a > $@'),
  one(
    '.DELETE_ON_ERROR and a recipe that fails when it has written half',
    '.DELETE_ON_ERROR:\nr: a.x b.x ; cat $^ > $@\na.x: ; cd sub; echo a > ../$@; exit 3\nb.x:\n>echo b > $@\n>false\n>echo no >> $@',
    { files: { 'sub/keep': '' } },
  ),
  one(
    '.DELETE_ON_ERROR and a recipe that fails before it writes',
    '.DELETE_ON_ERROR:\nr: a.x force ; false\na.x: force ; echo $@ >> $@; false\nforce: ;',
    { files: { r: 'old\n', 'a.x': 'old\n' } },
  ),
  one(
    '.DELETE_ON_ERROR and .PRECIOUS, and an error that is ignored',
    '.DELETE_ON_ERROR:\n.PRECIOUS: a.x\nr: a.x b.x ; cat $^ > $@\na.x: ; echo a > $@; false\nb.x:\n>-echo b > $@; false',
  ),
  one(
    '.DELETE_ON_ERROR and .ONESHELL',
    '.DELETE_ON_ERROR:\n.ONESHELL:\nr: a.x ; cat $^ > $@\na.x:\n>echo a > $@\n>exit 4',
  ),
  one(
    'a flag for the compiler of one target, which its prerequisites inherit',
    'F = -O\nr: F += -g\nr: a.x ; echo $(F) > $@; cat $^ >> $@\na.x: ; echo $(F) > $@\nall: b.x r\nb.x: ; echo $(F) > $@\n.DEFAULT_GOAL := all',
  ),
  one(
    'order-only prerequisites that are not part of the command',
    'r: a.x | b.x c ; cat $^ > $@; cat b.x >> $@\na.x b.x: | c ; echo $@ > c/$@; cp c/$@ $@\nc: ; mkdir -p $@',
  ),
  one(
    '.SECONDEXPANSION with an automatic variable behind the order-only sign',
    '.SECONDEXPANSION:\nr.x: $$(subst .x,.y,$$@) | $$(subst .x,.z,$$@) ; cat $^ $(word 1,$|) > $@\nr.z r.y: ; echo $@ > $@',
  ),
  one('$(shell) before the recipes', 'W := $(shell echo 5)\nr: a.x ; echo $(W) > $@\na.x: ; echo a > $@'),
  one(
    '$(shell) in a recipe that reads what another one makes',
    'r: a.x ; echo "$(shell cat a.x)" > $@\na.x: ; echo a > $@',
    { leftOut: /\$\(shell/ },
  ),
  one(
    '$(wildcard) in a recipe that looks for what another one makes',
    'r: a.x ; echo "$(wildcard *.x)" > $@\na.x: ; echo a > $@',
    { leftOut: /\$\(wildcard/ },
  ),
  one('$(file) in a recipe', 'r: a.x\n>$(file >r,text)\n>cat r > s\na.x: ; echo a > $@', { leftOut: /\$\(file/ }),
  one(
    'a value that changes each time',
    'r: a.x ; echo $(N) > $@; echo r > $@\nN = $(shell date +%s%N)\na.x: ; echo a > $@',
    { leftOut: /another line/ },
  ),
  one(
    'automatic variables',
    'sub/r.x: b.x a.x b.x | o\n>echo $@ $< $^ $+ $| $(@D) $(@F) $(<F) > $@\na.x b.x: ; echo $@ > $@\no: ; mkdir o',
    { files: { 'sub/keep': '' } },
  ),
  one(
    'functions',
    'L = b a\nr: $(sort $(L:%=%.x)) ; echo $(words $^) $(patsubst %.x,%.y,$^) $(if $(L),yes,no) > $@\n%.x: ; echo $* > $@',
  ),
] as const;

/** Neighbours, found by trying. */
const NEIGHBOURS = [
  one(
    'a value from $(shell) in lines that begin with a value',
    'P = $(shell echo printf)\nF = $(shell echo "-- %s x")\nI = -\nr: d.x\n>$(I)false\n>$(P) $(F) > $@\n>$(EMPTY)$(P) y >> $@\nd.x: ; $(P) $(F) > $@',
  ),
  one(
    'unexport of a variable that one target exports',
    'unexport TORC_TEST_SHELL\nall: a.x b.x\na.x: export TORC_TEST_SHELL = 5\na.x b.x: ; echo "[$$TORC_TEST_SHELL]" > $@',
  ),
  one('a + in a variable', 'P = +\nr:\n>$(P)echo printed; echo r > $@\n>echo s >> $@'),
  one('a + whose line prints', 'r: d.x\n>+echo printed\n>+@echo r > $@\nd.x: ; +@echo d > $@; cat d.x'),
  one('.ONESHELL and make', '.ONESHELL:\nr: d.x\n>+echo printed\n>$(MAKE) -s d.x\n>echo r > $@\nd.x: ; echo d > $@', {
    leftOut: /\.ONESHELL with/,
  }),
  one('make in $(shell)', 'V := $(shell $(MAKE) -s -f other.mk print)\nr: ; echo "$(V)" > $@', {
    files: { 'other.mk': 'print: ; @echo 5\n' },
    leftOut: /\$\(MAKE\) in \$\(shell\)/,
  }),
  one(
    'names with blanks and variables of their own',
    'a\\ b.x: W = 5\na\\ b.x: d\\ e.x\n>echo $(W) > "$@"; cat "$<" >> "$@"\nd\\ e.x: ; echo d > "$@"\nr: a\\ b.x ; cat "$<" > $@\n.DEFAULT_GOAL := r',
  ),
  one(
    'names with a colon, a dollar and a percent sign',
    "a\\:b.x: W = 5\na\\:b.x: c$$d.x e%f.x\n>cat c\\$$d.x e%f.x > $@; echo $(W) >> $@\nc$$d.x: ; echo c > '$@'\ne\\%f.x: ; echo e > $@\n.DEFAULT_GOAL := r\nr: a\\:b.x ; cat $< > $@",
  ),
  one(
    'a conditional variable of a target',
    'r: W ?= 5\nr: V ::= 6\nr: U != echo 7\nr: d.x ; echo $(W)$(V)$(U) > $@\nd.x: ; echo d > $@',
  ),
  one('an empty variable of a target', 'r: W =\nr: d.x\n>echo "[$(W)]" > r\nd.x: ; echo d > $@'),
  one(
    'a variable with the name of a flag of the data base',
    'r: Phony = 5\nr: recipe = 6\nr: d.x\n>echo $(Phony)$(recipe) > r\nd.x: ; echo d > $@',
  ),
  one('LC_ALL', 'export LC_ALL = C\nr: ; echo "$$LC_ALL" > $@'),
  one('LC_ALL as a default', 'LC_ALL ?= C\nexport LC_ALL\nr: ; echo "$$LC_ALL" > $@'),
  one(
    'words of bash in a line for sh',
    "r:\n>echo {a,b} > $@\n>echo x'y' {1..3} $$'z' >> $@\n>echo -e one >> $@\n>test a == a && echo equal >> $@; true",
  ),
  one('a backslash at the end of a recipe', 'r: a.x\n>echo r > $@ \\\n\na.x: ; echo a > $@'),
  one(
    'a folder that a rule makes and a file in it',
    'o/r.x: o o/d.x\n>cat o/d.x > $@\no: ; mkdir -p o\no/d.x: | o\n>echo d > $@',
  ),
  one(
    'a prerequisite that is both normal and for the order',
    'r: d.x | d.x e.x\n>cat $^ > $@; echo $| >> $@\nd.x e.x: ; echo $@ > $@',
  ),
  one('a circle, which make cuts', 'r: d.x ; cat d.x > $@\nd.x: r ; echo d > $@'),
] as const;

/** Makefiles of public reports about make, its clones and programs that read its data base; the text is another one. */
const REPORTED = [
  one(
    'a recipe that looks for the end of the data base: microsoft/vscode-makefile-tools#307',
    "r: a.x\n>echo '/^# Files/,/^# files hash-table stats:/ # Finished Make data base' > $@\n>echo s >> $@\na.x: ; echo '# Make data base, printed on ' > $@",
  ),
  one(
    'an = in the names of a rule: google/kati#138',
    'IN := my_in=file\nOUT := my_out=file\nr: $(OUT) ; cat $(OUT) > $@\n$(OUT): $(IN)\n>cp $< $@\n$(IN): ; echo in > $@\n.DEFAULT_GOAL := r',
  ),
  one(
    'a private exported variable: lists.gnu.org help-make 2021-05/msg00000',
    'default: noexport export ; cat $^ > r\nnoexport_dep: ; echo "$@ [$(V)]" > $@\nnoexport: private V = HELLO\nnoexport: noexport_dep\n>echo "$@ [$(V)]" > $@\nexport_dep: ; echo "$@ [$$V]" > $@\nexport: private export V = HELLO\nexport: export_dep\n>echo "$@ [$$V]" > $@',
    {
      leftOut: /the variable V of/,
    },
  ),
  one(
    'an exported recursive variable with $@: stackoverflow 32199375',
    'foo = \'$@\'\nexport foo\nr: ; echo "$$foo" > $@',
  ),
  one(
    'an intermediate file that is there already: lindenb/makefile2graph#12',
    '%.a: ; echo $@ > $@\n%.b: %.a ; cat $< > $@; echo $@ >> $@\n%.z: %.b ; cat $< > $@\nall: 1.z\n.DEFAULT_GOAL := all\nall: ; echo all > r',
    { files: { '1.a': 'old\n' }, flags: ['-B'] },
  ),
  one(
    'a terminal rule without prerequisites: epics-base/epics-base#765',
    '%.dbd: $($*_DBD)\n>echo "any $@" > $@\nb.dbd: c.x\n>cat c.x > $@\nr: a.dbd b.dbd ; cat $^ > $@\nc.x: ; echo c > $@\n.DEFAULT_GOAL := r',
  ),
  one('an automatic variable among the prerequisites: sipwise/rtpengine#1754', 'r.h: lib/$(@:.h=-*) ; echo r > $@', {
    files: { 'lib/r-1': '' },
  }),
  one(
    'double-colon rules and an = of a rule in a variable: agentzh/makefile-parser-pm#1',
    'all: foo ; echo all > r\nfoo:: bar\n>@echo foo bar > foo.1\nfoo:: blah blue\n>-@echo blah blue > foo.2; false\nbar blah blue: ; echo $@ > $@',
  ),
  one(
    'an eval among the prerequisites: kropp/intellij-makefile#118',
    'r: b.x $(eval)\nr: c.x\n>cat $^ > $@\nb.x c.x: ; echo $@ > $@',
  ),
  one(
    'several outputs of one recipe that only one target names: w3c/csswg-drafts#2584',
    'all: a.x ; cat a.x b.x > r\na.x: ; echo a > a.x; echo b > b.x',
  ),
  one(
    '.NOTPARALLEL with prerequisites: nasa/trick#303',
    '.NOTPARALLEL: a.x\nr: a.x b.x ; cat $^ > $@\na.x b.x: ; echo $@ > $@',
    { leftOut: /\.NOTPARALLEL/ },
  ),
  one(
    'make in a list of subfolders: PRUNERS/FLiT#267',
    'r: ; for d in one two; do $(MAKE) -s -C $$d; done; cat */s.x > $@',
    { files: { 'one/Makefile': 's.x: ; echo 1 > $@\n', 'two/Makefile': 's.x: ; echo 2 > $@\n' } },
  ),
  one(
    'a line with make that make -n runs: spack/spack#8819',
    'check: ; @fail=; echo checked > r; $(MAKE) -s next\nnext: ; echo next > s',
  ),
  one(
    '$(shell) that makes a file as it is expanded: vlfeat/vlfeat#40',
    'quiet = $(shell echo $1 > made.mk)\nr: a.x\n>$(call quiet,x)echo r > $@\na.x: ; echo a > $@',
  ),
  one(
    'peers of a pattern: samtools/bcftools#2305',
    'r: p.so ; cat p.so > $@\n%.so %.cygdll: %.c ; cp $< $*.so; cp $< $*.cygdll',
    { files: { 'p.c': 'c\n' } },
  ),
  one(
    'an export of the shell in $(shell): OpenIndiana/oi-userland#20532',
    'export TORC_TEST_SHELL := changed\nV := $(shell echo "$$TORC_TEST_SHELL")\nr: ; echo "$(V) $$TORC_TEST_SHELL" > $@',
  ),
] as const;

export const MAKE_SHAPES: readonly MakeShape[] = [...VARIABLES, ...RULES, ...TEXTS, ...NEIGHBOURS, ...REPORTED];
