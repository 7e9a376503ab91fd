package main

import (
	"fmt"
	"regexp"
)

// version is a version in the forms of the systems that it goes to.
type version struct {
	semantic string // npm, Helm, MCP: 1.2.3-dev.456
	python   string // PEP 440: 1.2.3.dev456
	debian   string // before 1.2.3: 1.2.3~dev.456
}

var versionForm = regexp.MustCompile(`^(\d+\.\d+\.\d+)(?:-(dev|alpha|beta|rc)\.(\d+)(\.dirty)?)?$`)

// pythonWords are the words of PEP 440 for versions before a release.
var pythonWords = map[string]string{"dev": ".dev", "alpha": "a", "beta": "b", "rc": "rc"}

func parseVersion(text string) (version, error) {
	parts := versionForm.FindStringSubmatch(text)
	if parts == nil {
		return version{}, fmt.Errorf("version %q must be like 1.2.3, 1.2.3-rc.1 or 1.2.3-dev.456", text)
	}
	number, word, count, dirty := parts[1], parts[2], parts[3], parts[4]
	if word == "" {
		return version{number, number, number}, nil
	}
	v := version{text, number + pythonWords[word] + count, number + "~" + word + "." + count + dirty}
	if dirty != "" {
		v.python += "+dirty" // a local version, which PyPI does not take
	}
	return v, nil
}
