package preprocess

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// The functions of each language are those between the marks « and ».
func TestUnitsOfLanguages(t *testing.T) {
	for _, tt := range []struct{ file, source string }{
		{"a.go", "package a\n\nvar x = []int{1, 2, 3, 4, 5, 6, 7, 8, 9}\n\n// f is one.\n«func f[T any](a interface{}, b struct{ c int }) (x, y int) {\n\tif a {\n\t\tb()\n\t}\n}»\n\ntype t struct {\n\ta, b, c, d, e, f int\n}\n«func (t) g() { for x := range y { z(\"}\") } }»\n"},
		{"a.go", "package a\n\nfunc TestA(t *testing.T) {\n\tt.Run(`a`, «func(t *testing.T) { a(1, 2, 3, 4) }»)\n\tt.Run(`b`, «func(t *testing.T) { b(1, 2, 3, 4) }»)\n}\n"},
		{"a.go", "package a\n\n«func f() {\n\ta.b(c, func() { d(1, 2, 3) })\n\te(1, 2, 3, 4, 5, 6, 7, 8, 9)\n}»\n"},
		{"A.java", "import a.b;\npublic class A<T> extends B {\n  int x = 1;\n  @Override\n  «public Map<String, T> f(int a, @C T b) throws D,\n      E {\n    for (int i = 0; i < a; i++) { g(i); }\n  }»\n" +
			"  static { x = y(1, 2, 3, 4, 5, 6, 7, 8); }\n  Runnable r = new Runnable() {\n    «public void run() { g(1, 2, 3, 4, 5); }»\n  };\n}\n"},
		{"a.c", "#include <a.h>\n«#define X(a) do { \\\n  b(a); c(a); d(a); e(a); }» while (0)\nstruct s { int a; int b; int c; int d; int e; };\n«static struct s *\nf(int a,\n  char b)\n{\n  if (a) { return b; }\n#ifdef Y\n  while (a) {\n#else\n  while (b) {\n#endif\n    a++;\n  }\n}»\n" +
			"«int g(void) { switch (a) { case 1: { b(); } } }»\nstatic const int t[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };\n"},
		{"a.cc", "namespace a { namespace {\ntemplate <class T>\n«A<T>::A(int x) : B(x), c{x} {\n  d(x); e(x); f(x);\n}»\nclass C final : public D<E> {\n public:\n  «int g() const override { return h(1, 2, 3, 4); }»\n};\n}}\n«TEST(A, b) { c(1, 2, 3, 4, 5, 6); }»\n"},
		{"a.cs", "namespace N {\n  class A {\n    public int X { get; set; }\n    «public async Task<T> F<T>(int a) where T : B {\n      using (var c = d(a)) { await e(c); }\n    }»\n  }\n}\n"},
		{"a.js", "'use strict'\nconst { a, b } = require('a')\n«const f = async ({ a, b }) => {\n  return { a, b, c: g(1, 2, 3) }\n}»\nclass C extends D {\n  «static async *f (x) { for (const y of x) { yield y(1, 2, 3) } }»\n  «get #g () { return this.h(1, 2, 3, 4, 5, 6) }»\n}\n" +
			"module.exports = {\n  a: 1,\n  «f: function (x) { return x(`${y}}`, 1, 2, 3, 4) }»,\n  «g(x) { if (x) { return x(1, 2, 3, 4) } }»\n}\n"},
		{"a.ts", "(function (root) {\n«export function f<T>(x: T): Array<T> { return x.map((y) => y + 1); }»\n«function g(x) { switch (x) { case 1: return h(1, 2, 3); } }»\n})(this);\n"},
		{"a.rs", "use a::b;\nimpl<'a> A<'a> for B {\n    «pub fn f<T>(&self, x: &'a T) -> Option<T>\n    where\n        T: C,\n    {\n        match x { Some(y) => { y }, None => { z } }\n    }»\n}\nstatic T: [u8; 9] = [1, 2, 3, 4, 5, 6, 7, 8, 9];\n"},
		{"a.php", "<?php\nclass A {\n  «public function f(array $a = []): ?B {\n    foreach ($a as $b) { $this->c($b, 1, 2); }\n  }»\n}\n"},
		{"a.kt", "class A(val x: Int) : B(x) {\n    «init { c(1, 2, 3, 4, 5, 6, 7, 8) }»\n    «override fun f(a: Int): Int {\n        return when (a) { 1 -> { 2 } else -> { 3 } }\n    }»\n}\n"},
		{"a.sh", "#!/bin/sh\n«f() {\n  if [ -n \"$1\" ]; then echo \"$2\" | sort | uniq -c; fi\n}»\ng 1 2 3 4 5 6 7 8 9 10 11 12 13 14\n"},
		{"a.pl", "use a;\n«sub f {\n  my ($a, $b) = @_;\n  return { c => $a, d => $b };\n}»\n"},
		{"a.py", "import a\n\nT = [\n  1, 2, 3,\n  4, 5, 6]\n\nclass A(B):\n    x = 1\n\n    @c(d,\n       e)\n    «async def f(self, x=(1,\n          2)):\n        '''no'''\n        if x:\n            return y\n\n        return z»\n\n    def g(self): return 1\n\n" +
			"if a:\n    «def h(x):\n        for y in x:\n            yield (1, 2, 3, 4)»\nb(1)\n\n\nclass C:\n    «def f(self, a, b, c, d, e, f, g):\n        return 1»\n"},
		{"a.rb", "require 'a'\nmodule A\n  class B < C\n    «def f(x, y = 1)\n      if x\n        @y = g(x, y) do |z| z end\n      end\n    end»\n  end\nend\n"},
		{"a.lua", "local t = { a = 1, b = 2 }\n«function t.f(x, y)\n  if x then\n    return g(x, y, 1)\n  end\nend»\n"},
		{"a.jl", "module A\n«function f(x::T, y) where T\n    for z in x\n        g(z, y, 1)\n    end\nend»\nend\n"},
		{"a.hs", "module A where\n\nfun :: Int -> Int -> Int\nfun x y = case x of\n  1 -> y\n  _ -> init x y 1 2 3\n"},
		{"a.sql", "create function f(a int) returns int as (select a from t where a = 1 and b = 2);\n"},
	} {
		source := strings.NewReplacer("«", "", "»", "").Replace(tt.source)
		marked, at := []byte{}, 0
		for _, u := range CodeOf(tt.file).Units([]byte(source), 16) {
			marked = append(append(append(append(marked, source[at:u[0]]...), "«"...), source[u[0]:u[1]]...), "»"...)
			at = u[1]
		}
		if got := string(marked) + source[at:]; got != tt.source {
			t.Errorf("%s:\n%s\nwant\n%s", tt.file, got, tt.source)
		}
	}
}

// checkUnits returns what is wrong with the units of a source, or "".
func checkUnits(c *Code, source []byte, least int) string {
	at := 0
	for _, u := range c.Units(source, least) {
		if u[0] < at || u[1] <= u[0] || u[1] > len(source) {
			return "units overlap, are empty, or reach over the end"
		}
		at = u[1]
	}
	return ""
}

// Whatever a source is, its units do not overlap.
func TestUnitsOfAnything(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 9))
	parts := strings.Fields("( ) { } [ ] , ; = => -> : @ # if func def class sub end return new where x y 1 'a \" ` /* */ // else function struct")
	parts = append(parts, "\n", "\n\n", "\n  ", "\n\t", "\n    ", " ")
	codes := slices.Compact(slices.SortedFunc(maps.Values(codeOf()), func(a, b *Code) int { return strings.Compare(a.Name, b.Name) }))
	for range 1000 {
		var source []byte
		for range r.IntN(80) {
			source = append(append(source, parts[r.IntN(len(parts))]...), " "[:r.IntN(2)]...)
		}
		for _, c := range codes {
			if wrong := checkUnits(c, source, 1+r.IntN(9)); wrong != "" {
				t.Fatalf("%s: %q: %s", c.Name, source, wrong)
			}
		}
	}
	for _, deep := range []string{"{", "(", "{}", "a(){", "a(){}", "\n{", "()\n{", "func(", "}", "\n  {", ")", "if x:\n ", "{\n", "function a(){function b(){"} {
		source := []byte(strings.Repeat(deep, 1<<14/len(deep)))
		for _, c := range codes {
			if wrong := checkUnits(c, append(source, "\n}\n}"...), 5); wrong != "" {
				t.Errorf("%s: many %q: %s", c.Name, deep, wrong)
			}
		}
	}
}

func FuzzUnits(f *testing.F) {
	f.Add([]byte("func f() { a(); b() }"), "a.go")
	f.Add([]byte("class A:\n  @x\n  def f(self):\n    return 1\n"), "a.py")
	f.Add([]byte("def f\n  x\nend\n"), "a.rb")
	f.Add([]byte("a\n\nb\n"), "a.sql")
	f.Fuzz(func(t *testing.T, source []byte, file string) {
		if c := CodeOf(file); c != nil {
			if wrong := checkUnits(c, source, 3); wrong != "" {
				t.Error(wrong)
			}
		}
	})
}
