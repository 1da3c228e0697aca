package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"
)

// image writes an archive in the layout of OCI: an image for each processor with Linux, which has the program and
// nothing else. What it runs, and as whom, is what packaging/Dockerfile says.
func (r *release) image() error {
	config, err := imageConfig(filepath.Join(r.tree, "packaging", "Dockerfile"))
	if err != nil {
		return err
	}
	config.Labels = map[string]string{
		v1.AnnotationTitle: "simsearch", v1.AnnotationVersion: r.version, v1.AnnotationRevision: r.commit, v1.AnnotationLicenses: "Apache-2.0",
	}
	l := &layout{}
	index := v1.Index{Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: v1.MediaTypeImageIndex}
	for _, p := range platforms {
		if p.os != "linux" {
			continue
		}
		program, err := os.ReadFile(r.programFile(p))
		if err != nil {
			return err
		}
		layer, err := tarred([]entry{
			{name: "LICENSE", content: r.licence, mode: 0o644},
			{name: "NOTICES", content: r.notices, mode: 0o644},
			{name: "data/", mode: 0o700, owner: imageUser},
			{name: "simsearch", content: program, mode: 0o755},
			{name: "tmp/", mode: 0o1777, owner: imageUser},
		}, r.time)
		if err != nil {
			return err
		}
		of := v1.Platform{OS: p.os, Architecture: p.arch}
		described, err := l.json(v1.MediaTypeImageConfig, v1.Image{
			Created: &r.time, Platform: of, Config: *config,
			RootFS:  v1.RootFS{Type: "layers", DiffIDs: []digest.Digest{digest.FromBytes(layer)}},
			History: []v1.History{{Created: &r.time, CreatedBy: "make release"}},
		})
		if err != nil {
			return err
		}
		manifest, err := l.json(v1.MediaTypeImageManifest, v1.Manifest{
			Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: v1.MediaTypeImageManifest, Config: described,
			Layers: []v1.Descriptor{l.blob(v1.MediaTypeImageLayerGzip, gzipped(layer))},
		})
		if err != nil {
			return err
		}
		manifest.Platform = &of
		index.Manifests = append(index.Manifests, manifest)
	}
	images, err := l.json(v1.MediaTypeImageIndex, index)
	if err != nil {
		return err
	}
	images.Annotations = map[string]string{v1.AnnotationRefName: r.version}
	top, err := json.Marshal(v1.Index{Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: v1.MediaTypeImageIndex, Manifests: []v1.Descriptor{images}})
	if err != nil {
		return err
	}
	l.entries = append([]entry{
		{name: v1.ImageLayoutFile, content: []byte(`{"imageLayoutVersion":"` + v1.ImageLayoutVersion + `"}`), mode: 0o644},
		{name: v1.ImageIndexFile, content: top, mode: 0o644},
		{name: "blobs/", mode: 0o755},
		{name: "blobs/sha256/", mode: 0o755},
	}, l.entries...)
	packed, err := tarred(l.entries, r.time)
	if err != nil {
		return err
	}
	return r.write("simsearch_"+r.version+"_oci.tar", packed)
}

// A layout gathers the blobs of an archive of images.
type layout struct{ entries []entry }

func (l *layout) blob(media string, content []byte) v1.Descriptor {
	name := fmt.Sprintf("blobs/sha256/%x", sha256.Sum256(content))
	if !slices.ContainsFunc(l.entries, func(e entry) bool { return e.name == name }) {
		l.entries = append(l.entries, entry{name: name, content: content, mode: 0o644})
	}
	return v1.Descriptor{MediaType: media, Digest: digest.FromBytes(content), Size: int64(len(content))}
}

func (l *layout) json(media string, v any) (v1.Descriptor, error) {
	content, err := json.Marshal(v)
	return l.blob(media, content), err
}

// imageUser is the user whom packaging/Dockerfile names: nobody on the machine.
const imageUser = 65532

var directive = regexp.MustCompile(`(?m)^(USER|VOLUME|EXPOSE|STOPSIGNAL|ENTRYPOINT|CMD) (.+)$`)

// imageConfig reads what the Dockerfile says of the image that it makes.
func imageConfig(dockerfile string) (*v1.ImageConfig, error) {
	content, err := os.ReadFile(dockerfile)
	if err != nil {
		return nil, err
	}
	_, last, found := strings.Cut(string(content), "\nFROM scratch\n")
	if !found {
		return nil, fmt.Errorf("%s does not build from scratch", dockerfile)
	}
	config := &v1.ImageConfig{}
	for _, line := range directive.FindAllStringSubmatch(last, -1) {
		var words []string
		if strings.HasPrefix(line[2], "[") {
			if err := json.Unmarshal([]byte(line[2]), &words); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", dockerfile, line[0], err)
			}
		}
		switch line[1] {
		case "USER":
			config.User = line[2]
		case "STOPSIGNAL":
			config.StopSignal = line[2]
		case "EXPOSE":
			config.ExposedPorts = map[string]struct{}{line[2] + "/tcp": {}}
		case "VOLUME":
			config.Volumes = map[string]struct{}{}
			for _, w := range words {
				config.Volumes[w] = struct{}{}
			}
		case "ENTRYPOINT":
			config.Entrypoint = words
		case "CMD":
			config.Cmd = words
		}
	}
	if want := fmt.Sprintf("%d:%d", imageUser, imageUser); config.User != want || config.Entrypoint == nil || config.Cmd == nil {
		return nil, fmt.Errorf("%s: want USER %s, ENTRYPOINT and CMD as lists", dockerfile, want)
	}
	return config, nil
}
