package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"aead.dev/minisign"
	"golang.org/x/mod/module"
)

// built reads what Go has written into the program of a platform.
func (r *release) built(p platform) (*debug.BuildInfo, error) {
	return buildinfo.ReadFile(r.programFile(p))
}

// checkBuilt compares what Go has written into the programs with what they were built from.
func (r *release) checkBuilt() error {
	for _, p := range platforms {
		info, err := r.built(p)
		if err != nil {
			return err
		}
		settings := map[string]string{}
		for _, s := range info.Settings {
			settings[s.Key] = s.Value
		}
		if info.Main.Version != "v"+r.version || settings["vcs.revision"] != r.commit || settings["vcs.modified"] != "false" {
			return fmt.Errorf("%s: the program says that it is version %s of commit %s (modified: %s), and not v%s of %s",
				p, info.Main.Version, settings["vcs.revision"], settings["vcs.modified"], r.version, r.commit)
		}
	}
	return nil
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)`)

// gatherNotices returns the licences of all that is in a program: of the modules that Go names in it, of Go itself,
// and of files of this repository that have a licence of their own.
func (r *release) gatherNotices() ([]byte, error) {
	modules := map[module.Version]bool{}
	for _, p := range platforms {
		info, err := r.built(p)
		if err != nil {
			return nil, err
		}
		for _, m := range info.Deps {
			modules[module.Version{Path: m.Path, Version: m.Version}] = true
		}
	}
	sorted := make([]module.Version, 0, len(modules))
	for m := range modules {
		sorted = append(sorted, m)
	}
	module.Sort(sorted)

	var out bytes.Buffer
	out.WriteString("simsearch has parts with licences of their own. These are their texts.\n")
	add := func(title, dir string) error {
		names, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		had := out.Len()
		for _, n := range names {
			if !n.IsDir() && licenceFile.MatchString(n.Name()) {
				text, err := os.ReadFile(filepath.Join(dir, n.Name()))
				if err != nil {
					return err
				}
				fmt.Fprintf(&out, "\n%s\n%s: %s\n\n%s\n", strings.Repeat("=", 80), title, n.Name(), bytes.TrimSpace(text))
			}
		}
		if out.Len() == had {
			return fmt.Errorf("%s has no licence in %s", title, dir)
		}
		return nil
	}
	root, err := output(r.tree, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	if err := add("Go", root); err != nil {
		return nil, err
	}
	if err := add("lists of stop words", filepath.Join(r.tree, "preprocess", "stopwords")); err != nil {
		return nil, err
	}
	cache, err := output(r.tree, "go", "env", "GOMODCACHE")
	if err != nil {
		return nil, err
	}
	for _, m := range sorted {
		path, err := module.EscapePath(m.Path)
		if err != nil {
			return nil, err
		}
		version, err := module.EscapeVersion(m.Version)
		if err != nil {
			return nil, err
		}
		if err := add(m.String(), filepath.Join(cache, filepath.FromSlash(path)+"@"+version)); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

// contents writes what is in each program, as Go has written it there: a list (SBOM) in the format CycloneDX.
func (r *release) contents() error {
	type property struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	type hash struct {
		Algorithm string `json:"alg"`
		Content   string `json:"content"`
	}
	type component struct {
		Type       string     `json:"type"`
		Reference  string     `json:"bom-ref"`
		Name       string     `json:"name"`
		Version    string     `json:"version"`
		PURL       string     `json:"purl,omitempty"`
		Hashes     []hash     `json:"hashes,omitempty"`
		Properties []property `json:"properties,omitempty"`
	}
	for _, p := range platforms {
		info, err := r.built(p)
		if err != nil {
			return err
		}
		sum, err := sumOf(r.programFile(p))
		if err != nil {
			return err
		}
		main := component{
			Type: "application", Reference: "simsearch", Name: "simsearch", Version: r.version,
			Hashes: []hash{{"SHA-256", sum}},
		}
		for _, s := range info.Settings {
			main.Properties = append(main.Properties, property{"go:build:" + s.Key, s.Value})
		}
		stdlib := "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go")
		parts := []component{{Type: "library", Reference: stdlib, Name: "std", Version: info.GoVersion, PURL: stdlib}}
		for _, m := range info.Deps {
			purl := "pkg:golang/" + m.Path + "@" + strings.ReplaceAll(m.Version, "+", "%2B")
			parts = append(parts, component{
				Type: "library", Reference: purl, Name: m.Path, Version: m.Version, PURL: purl,
				Properties: []property{{"go:sum", m.Sum}},
			})
		}
		list, err := json.MarshalIndent(struct {
			Format   string `json:"bomFormat"`
			Spec     string `json:"specVersion"`
			Version  int    `json:"version"`
			Metadata any    `json:"metadata"`
			Parts    any    `json:"components"`
		}{
			"CycloneDX", "1.6", 1,
			map[string]any{"timestamp": r.time, "component": main}, parts,
		}, "", "  ")
		if err != nil {
			return err
		}
		if err := r.write("simsearch_"+r.version+"_"+p.os+"_"+p.arch+".cdx.json", append(list, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// files returns the names of what has been made, and their SHA-256 sums in hexadecimal digits.
func (r *release) files() (names []string, sums map[string]string, err error) {
	entries, err := os.ReadDir(r.dir)
	if err != nil {
		return nil, nil, err
	}
	sums = map[string]string{}
	for _, e := range entries {
		names = append(names, e.Name())
		if sums[e.Name()], err = sumOf(filepath.Join(r.dir, e.Name())); err != nil {
			return nil, nil, err
		}
	}
	slices.Sort(names)
	return names, sums, nil
}

func sumOf(name string) (string, error) {
	content, err := os.ReadFile(name)
	return fmt.Sprintf("%x", sha256.Sum256(content)), err
}

// provenance writes what was built from which commit with which Go, as a statement of in-toto. It is as good as the
// signature of the list of sums, which names it.
func (r *release) provenance() error {
	names, sums, err := r.files()
	if err != nil {
		return err
	}
	type digests map[string]string
	type resource struct {
		Name   string  `json:"name"`
		Digest digests `json:"digest,omitempty"`
	}
	var subjects []resource
	for _, n := range names {
		subjects = append(subjects, resource{n, digests{"sha256": sums[n]}})
	}
	info, err := r.built(platforms[0])
	if err != nil {
		return err
	}
	builder := os.Getenv("RELEASE_BUILDER")
	if builder == "" {
		builder = "simsearch:make-release"
	}
	statement, err := json.MarshalIndent(map[string]any{
		"_type":         "https://in-toto.io/Statement/v1",
		"subject":       subjects,
		"predicateType": "https://slsa.dev/provenance/v1",
		"predicate": map[string]any{
			"buildDefinition": map[string]any{
				"buildType":          "simsearch:make-release",
				"externalParameters": map[string]string{"version": r.version, "commit": r.commit},
				"internalParameters": map[string]string{"go": info.GoVersion, "on": runtime.GOOS + "/" + runtime.GOARCH},
				"resolvedDependencies": []resource{
					{"simsearch", digests{"gitCommit": r.commit}},
				},
			},
			"runDetails": map[string]any{"builder": map[string]string{"id": builder}},
		},
	}, "", "  ")
	if err != nil {
		return err
	}
	return r.write("simsearch_"+r.version+".intoto.json", append(statement, '\n'))
}

// sums writes the list of sums, and signs it if there is a key.
func (r *release) sums() error {
	names, sums, err := r.files()
	if err != nil {
		return err
	}
	var list bytes.Buffer
	for _, n := range names {
		fmt.Fprintf(&list, "%s  %s\n", sums[n], n)
	}
	if err := r.write(marker, list.Bytes()); err != nil {
		return err
	}
	file := os.Getenv("MINISIGN_SECRET_KEY")
	if file == "" {
		fmt.Fprintln(os.Stderr, "release: MINISIGN_SECRET_KEY names no key: this release is not signed")
		return nil
	}
	key, err := minisign.PrivateKeyFromFile(os.Getenv("MINISIGN_PASSWORD"), file)
	if err != nil {
		return fmt.Errorf("the key of MINISIGN_SECRET_KEY: %w", err)
	}
	comment := fmt.Sprintf("simsearch %s, commit %s", r.version, r.commit)
	return r.write(marker+".minisig", minisign.SignWithComments(key, list.Bytes(), comment, "signature of "+marker+" of simsearch "+r.version))
}
