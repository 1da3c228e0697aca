// Site makes a site of the pages of this repository, which works without a server, and checks its links:
//
//	site ROOT OUT
//
// ROOT is the root of the repository. The site has the pages of parts, in their order, the other pages of docs/, and
// a page for each command, which the program itself writes. It is written only if every link leads somewhere, and
// replaces the one that is there.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: site ROOT OUT")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// A part of the site is a heading of its menu.
type part struct {
	title string
	files []string // by their paths in the repository; behind a bar, the name in the menu, if it is not the title
}

// parts are the pages in the order of the menu. Pages of docs/ that are not listed follow in Guides, and
// those of docs/measured in How it works.
var parts = []part{
	{"Start", []string{"README.md|Overview", "docs/INSTALL.md", "docs/TUTORIAL.md", "docs/GO.md", "python/README.md|Python"}},
	{"Guides", []string{"docs/SEARCHING.md", "docs/SETTINGS.md", "docs/INPUTS.md", "docs/DEDUP.md", "docs/RECIPES.md", "docs/IMAGES.md", "docs/SERVE.md", "docs/SCALE.md", "docs/COMING-FROM.md"}},
	{"Reference", []string{commandsFile, "docs/RELIABILITY.md", "CHANGELOG.md"}},
	{"How it works", []string{"docs/SIMHASH.md", "docs/ARCHITECTURE.md", "internal/ground/section/FORMAT.md", "docs/measured/FIGURES.md", "docs/measured/EVALUATION.md", "CONTRIBUTING.md", "bench/README.md"}},
}

// commandsFile stands for the pages that the program writes.
const commandsFile = "commands"

func run(root, out string) error {
	reference, err := commands(root)
	if err != nil {
		return err
	}
	s, err := read(root, parts, reference)
	if err != nil {
		return err
	}
	if err := s.check(); err != nil {
		return err
	}
	return s.write(out)
}

// commands returns the reference of the program as Markdown: a page for it, for each command and for the flags of
// inputs, which has what the program prints of it.
func commands(root string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "site")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "simsearch")
	build := exec.Command("go", "build", "-o", program, "./cmd/simsearch")
	build.Dir, build.Stderr = root, os.Stderr
	if err := build.Run(); err != nil {
		return nil, err
	}
	var pages, list bytes.Buffer
	page := func(title string, arguments ...string) error {
		text, err := exec.Command(program, arguments...).Output()
		fmt.Fprintf(&pages, "# %s\n\n```text\n%s```\n\n", title, text)
		return err
	}
	if err := page("simsearch", "--help"); err != nil {
		return nil, err
	}
	described, _ := filepath.Glob(filepath.Join(root, "cmd/simsearch/help/*.txt")) // the pattern is right
	whole := pages.Bytes()
	pages = bytes.Buffer{}
	for _, file := range described {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		arguments := []string{name, "--help"}
		switch name {
		case "simsearch":
			continue
		case "input":
			arguments = []string{"help", name}
		}
		fmt.Fprintf(&list, "- [%s](%[1]s.md)\n", name)
		if err := page("simsearch "+name, arguments...); err != nil {
			return nil, err
		}
	}
	return slices.Concat(whole, list.Bytes(), []byte("\n"), pages.Bytes()), nil
}

// A site is all pages, in the order of the menu.
type site struct {
	root  string
	pages []*page
	of    map[string]*page // by the path in the repository, or commands/NAME.md
	files map[string]bool  // other files that pages show, such as pictures
}

// read reads the pages of parts, and those that parts do not list.
func read(root string, parts []part, reference []byte) (*site, error) {
	s := &site{root: root, of: map[string]*page{}, files: map[string]bool{}}
	listed := map[string]bool{}
	for _, p := range parts {
		for _, file := range p.files {
			file, _, _ = strings.Cut(file, "|")
			listed[file] = true
		}
	}
	for _, p := range parts {
		files := p.files
		switch p.title {
		case "Guides":
			files = append(slices.Clone(files), unlisted(root, "docs", listed)...)
		case "How it works":
			files = append(slices.Clone(files), unlisted(root, "docs/measured", listed)...)
		}
		for _, file := range files {
			if file == commandsFile {
				s.addCommands(p.title, reference)
				continue
			}
			file, menu, named := strings.Cut(file, "|")
			text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
			if err != nil {
				return nil, err
			}
			page := newPage(p.title, file, text)
			if named {
				page.menu = menu
			}
			s.add(page)
		}
	}
	return s, nil
}

// unlisted returns the pages in a directory that are not listed.
func unlisted(root, dir string, listed map[string]bool) (files []string) {
	all, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(dir), "*.md")) // the pattern is right
	for _, file := range all {
		if name := dir + "/" + filepath.Base(file); !listed[name] {
			files = append(files, name)
		}
	}
	return files
}

func (s *site) add(p *page) {
	s.pages = append(s.pages, p)
	s.of[p.file] = p
}

// addCommands adds a page for the program and one for each command.
func (s *site) addCommands(part string, reference []byte) {
	for i, text := range bytes.Split(append([]byte("\n"), reference...), []byte("\n# "))[1:] {
		title, _, _ := strings.Cut(string(text), "\n")
		p := newPage(part, commandsFile+"/"+path.Base(strings.ReplaceAll(title, " ", "/"))+".md", append([]byte("# "), text...))
		p.command = strings.TrimPrefix(title, "simsearch ")
		p.menu = p.command
		if i == 0 {
			p.command, p.menu = "", "Commands"
		}
		s.add(p)
	}
}

// check returns an error for every link that leads nowhere.
func (s *site) check() error {
	var wrong []error
	for _, p := range s.pages {
		wrong = append(wrong, s.resolve(p)...)
	}
	return errors.Join(append(wrong, s.named()...)...)
}
