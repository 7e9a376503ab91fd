package main

import (
	"fmt"
	"regexp"
)

var chartVersions = regexp.MustCompile(`(?m)^(version|appVersion): .*$`)

// writeChart writes the Helm chart.
func (r *release) writeChart() error {
	files, err := r.tree("", "deploy/helm/kith")
	if err != nil {
		return err
	}
	for i, f := range files {
		files[i].name = f.name[len("deploy/helm/"):]
		if files[i].name == "kith/Chart.yaml" {
			files[i].content = chartVersions.ReplaceAll(f.content, fmt.Appendf(nil, `${1}: "%s"`, r.version.semantic))
		}
	}
	licences, err := r.licences("kith/")
	if err != nil {
		return err
	}
	content, err := tarball(append(files, licences...), r.date)
	if err != nil {
		return err
	}
	return r.write("kith-"+r.version.semantic+".tgz", content)
}
