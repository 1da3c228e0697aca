package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/apk" // registers itself
	_ "github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

// packages writes the packages of Debian, Fedora and Alpine.
func (r *release) packages() error {
	// The service is there and does not run: who wants it, enables it.
	service, err := os.ReadFile(filepath.Join(r.tree, "packaging", "simsearch.service"))
	if err != nil {
		return err
	}
	service = bytes.ReplaceAll(service, []byte("/usr/local/bin/"), []byte("/usr/bin/"))
	copyright := fmt.Appendf(nil, "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: simsearch\n\nFiles: *\nCopyright: the authors of simsearch\nLicense: Apache-2.0\n"+
		" On Debian systems, the text of the licence is in /usr/share/common-licenses/Apache-2.0.\n"+
		" The modules that the program is built from have licences of their own: see NOTICES.gz beside this file.\n")
	for _, kind := range []string{"deb", "rpm", "apk"} {
		zsh := "/usr/share/zsh/site-functions/_simsearch"
		if kind == "deb" {
			zsh = "/usr/share/zsh/vendor-completions/_simsearch"
		}
		contents := []entry{
			{name: "/usr/share/man/man1/simsearch.1.gz", content: gzipped(r.man)},
			{name: "/usr/share/bash-completion/completions/simsearch", content: r.completions["bash"]},
			{name: zsh, content: r.completions["zsh"]},
			{name: "/usr/share/fish/vendor_completions.d/simsearch.fish", content: r.completions["fish"]},
		}
		switch kind {
		case "deb":
			contents = append(contents,
				entry{name: "/usr/share/doc/simsearch/copyright", content: copyright},
				entry{name: "/usr/share/doc/simsearch/NOTICES.gz", content: gzipped(r.notices)})
		default:
			contents = append(contents,
				entry{name: "/usr/share/licenses/simsearch/LICENSE", content: r.licence},
				entry{name: "/usr/share/licenses/simsearch/NOTICES", content: r.notices})
		}
		if kind != "apk" { // Alpine has no systemd
			contents = append(contents, entry{name: "/usr/lib/systemd/system/simsearch.service", content: service})
		}
		for _, p := range platforms {
			if p.os == "linux" {
				if err := r.pack(kind, p, contents); err != nil {
					return fmt.Errorf("%s: %w", kind, err)
				}
			}
		}
	}
	return nil
}

// pack writes the package of a kind and a platform with the contents and the program.
func (r *release) pack(kind string, p platform, contents []entry) error {
	packager, err := nfpm.Get(kind)
	if err != nil {
		return err
	}
	info := &nfpm.Info{
		Name: "simsearch", Arch: p.arch, Platform: p.os, Version: r.version, Release: "1", MTime: r.time,
		Section: "text", Priority: "optional", License: "Apache-2.0", Maintainer: "the authors of simsearch <simsearch@localhost>",
		Description: "search for near-duplicate documents\n" +
			"simsearch finds near-duplicate documents in millions of texts: what is near\nthis text, which documents belong together, and which to keep.",
	}
	if kind != "deb" {
		info.Release = "" // nfpm's own
	}
	info.RPM.Summary, info.RPM.BuildHost = "Search for near-duplicate documents", "localhost"
	add := func(to, from string, mode os.FileMode) {
		info.Contents = append(info.Contents, &files.Content{
			Source: from, Destination: to,
			FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: mode, MTime: r.time},
		})
	}
	add("/usr/bin/simsearch", r.programFile(p), 0o755)
	for _, e := range contents {
		from := filepath.Join(r.scratch, kind, strings.TrimPrefix(e.name, "/"))
		if err := os.MkdirAll(filepath.Dir(from), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(from, e.content, 0o644); err != nil {
			return err
		}
		add(e.name, from, 0o644)
	}
	info = nfpm.WithDefaults(info)
	if err := nfpm.PrepareForPackager(info, kind); err != nil {
		return err
	}
	var out bytes.Buffer
	if err := packager.Package(info, &out); err != nil {
		return err
	}
	return r.write(packager.ConventionalFileName(info), out.Bytes())
}
