package main

import (
	"cmp"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// sbom is a document of SPDX 2.3: what the binary and the page in it are made of.
type sbom struct {
	SPDXVersion   string             `json:"spdxVersion"`
	DataLicense   string             `json:"dataLicense"`
	ID            string             `json:"SPDXID"`
	Name          string             `json:"name"`
	Namespace     string             `json:"documentNamespace"`
	Creation      sbomCreation       `json:"creationInfo"`
	Packages      []sbomPackage      `json:"packages"`
	Relationships []sbomRelationship `json:"relationships"`
}

type sbomCreation struct {
	Created  string   `json:"created"`
	Creators []string `json:"creators"`
}

type sbomPackage struct {
	ID               string          `json:"SPDXID"`
	Name             string          `json:"name"`
	Version          string          `json:"versionInfo"`
	Location         string          `json:"downloadLocation"`
	FilesAnalyzed    bool            `json:"filesAnalyzed"`
	LicenseConcluded string          `json:"licenseConcluded"`
	LicenseDeclared  string          `json:"licenseDeclared"`
	Copyright        string          `json:"copyrightText"`
	References       []sbomReference `json:"externalRefs"`
}

type sbomReference struct {
	Category string `json:"referenceCategory"`
	Type     string `json:"referenceType"`
	Locator  string `json:"referenceLocator"`
}

type sbomRelationship struct {
	From string `json:"spdxElementId"`
	Type string `json:"relationshipType"`
	To   string `json:"relatedSpdxElement"`
}

const (
	unasserted  = "NOASSERTION"
	nodeModules = "node_modules/"
)

func newSBOMPackage(id, name, version, locator, licence string) sbomPackage {
	return sbomPackage{
		ID: "SPDXRef-" + id, Name: name, Version: version, Location: unasserted, LicenseConcluded: unasserted,
		LicenseDeclared: cmp.Or(licence, unasserted), Copyright: unasserted,
		References: []sbomReference{{"PACKAGE-MANAGER", "purl", locator}},
	}
}

// writeSBOM writes the SBOM. The binaries of all platforms are made of the same modules.
func (r *release) writeSBOM(t target) error {
	info, err := buildinfo.ReadFile(r.binary(t))
	if err != nil {
		return fmt.Errorf("read modules: %w", err)
	}
	packages := []sbomPackage{newSBOMPackage("kith", "kith", r.version.semantic, "pkg:golang/kith@"+r.version.semantic, "")}
	packages = append(packages, newSBOMPackage("go", "stdlib", strings.TrimPrefix(info.GoVersion, "go"),
		"pkg:golang/stdlib@"+strings.TrimPrefix(info.GoVersion, "go"), "BSD-3-Clause"))
	for i, module := range info.Deps {
		packages = append(packages, newSBOMPackage(fmt.Sprintf("go-%d", i+1), module.Path, module.Version,
			"pkg:golang/"+module.Path+"@"+strings.ReplaceAll(module.Version, "+", "%2B"), ""))
	}
	ofPage, err := pagePackages(filepath.Join(r.root, "clients", "page", "package-lock.json"))
	if err != nil {
		return err
	}
	packages = append(packages, ofPage...)
	document := sbom{
		SPDXVersion: "SPDX-2.3", DataLicense: "CC0-1.0", ID: "SPDXRef-DOCUMENT", Name: "kith-" + r.version.semantic,
		Namespace: homepage + "/sbom/" + r.version.semantic + "-" + r.commit,
		Creation:  sbomCreation{r.date.Format("2006-01-02T15:04:05Z"), []string{"Tool: kith-release"}}, Packages: packages,
		Relationships: []sbomRelationship{{"SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-kith"}},
	}
	for _, p := range packages[1:] {
		document.Relationships = append(document.Relationships, sbomRelationship{"SPDXRef-kith", "DEPENDS_ON", p.ID})
	}
	raw, err := json.MarshalIndent(document, "", " ")
	if err != nil {
		return err
	}
	return r.write("kith-"+r.version.semantic+".spdx.json", append(raw, '\n'))
}

// pagePackages returns the npm packages that are built into the page, from a lock file.
func pagePackages(lock string) ([]sbomPackage, error) {
	raw, err := os.ReadFile(lock)
	if err != nil {
		return nil, err
	}
	var content struct {
		Packages map[string]struct {
			Version, License string
			Dev              bool
		}
	}
	if err := json.Unmarshal(raw, &content); err != nil {
		return nil, fmt.Errorf("%s: %w", lock, err)
	}
	var packages []sbomPackage
	for path, p := range content.Packages {
		if path == "" || p.Dev { // the page itself, and what only builds or tests it
			continue
		}
		name := path
		if i := strings.LastIndex(path, nodeModules); i >= 0 {
			name = path[i+len(nodeModules):]
		}
		packages = append(packages, newSBOMPackage("", name, p.Version, "pkg:npm/"+strings.Replace(name, "@", "%40", 1)+"@"+p.Version, p.License))
	}
	slices.SortFunc(packages, func(a, b sbomPackage) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Version, b.Version))
	})
	for i := range packages {
		packages[i].ID = fmt.Sprintf("SPDXRef-npm-%d", i+1)
	}
	return packages, nil
}
