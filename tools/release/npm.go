package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

//go:embed npm/simsearch.js
var launcher []byte

//go:embed npm/README.md
var npmReadme []byte

// npm writes a package with a launcher, and a package with the program for each platform, which the first names as
// optional: npm installs the one whose platform is that of the machine, and runs nothing meanwhile.
func (r *release) npm() error {
	common := func(name, description string) map[string]any {
		return map[string]any{"name": name, "version": r.version, "description": description, "license": "Apache-2.0"}
	}
	optional := map[string]string{}
	for _, p := range platforms {
		program, err := os.ReadFile(r.programFile(p))
		if err != nil {
			return err
		}
		system := map[string]string{"linux": "linux", "darwin": "darwin", "windows": "win32"}[p.os]
		processor := map[string]string{"amd64": "x64", "arm64": "arm64"}[p.arch]
		name := "@simsearch/" + system + "-" + processor
		optional[name] = r.version
		about := common(name, fmt.Sprintf("The program simsearch for %s", p))
		about["os"], about["cpu"], about["preferUnplugged"] = []string{system}, []string{processor}, true
		if err := r.npmPackage(about, entry{name: "package/bin/" + p.program(), content: program, mode: 0o755}); err != nil {
			return err
		}
	}
	about := common("simsearch", "Near-duplicate search for documents")
	about["bin"] = map[string]string{"simsearch": "bin/simsearch.js"}
	about["engines"] = map[string]string{"node": ">=18"}
	about["optionalDependencies"] = optional
	return r.npmPackage(about,
		entry{name: "package/bin/simsearch.js", content: launcher, mode: 0o755}, entry{name: "package/README.md", content: npmReadme, mode: 0o644})
}

// npmPackage writes a package for npm.
func (r *release) npmPackage(about map[string]any, entries ...entry) error {
	description, err := json.MarshalIndent(about, "", "  ")
	if err != nil {
		return err
	}
	packed, err := tarred(append([]entry{
		{name: "package/package.json", content: append(description, '\n'), mode: 0o644},
		{name: "package/LICENSE", content: r.licence, mode: 0o644},
		{name: "package/NOTICES", content: r.notices, mode: 0o644},
	}, entries...), r.time)
	if err != nil {
		return err
	}
	name := strings.NewReplacer("@", "", "/", "-").Replace(about["name"].(string))
	return r.write("npm-"+name+"-"+r.version+".tgz", gzipped(packed))
}
