// Package transfer sends files to import to a running Kith, and receives exports.
package transfer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/url"
	"os"
	"strconv"

	client "kith/clients/go"
	"kith/cmd/kith/internal/terminal"
	"kith/internal/jsonline"
)

// Options says how a file is imported.
type Options struct {
	Format string // one of POST /v1/import or of package chatlog; auto: detected from the file
	User   string // for items without one. Empty: shared by the team
	Owner  string // name of the person who is the user. Empty: the service's default
	DryRun bool   // store nothing
	Strict bool   // stop at the first fault

	converted bool // the lines are those of conversations, and not those of the user's file
}

// Import sends a file to POST /v1/import and returns the report. Importing a file again changes nothing. An interrupted
// import resumes where it stopped.
func Import(ctx context.Context, api *client.Client, path string, o Options, progress *terminal.Progress) (*Report, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file, so it cannot be read again for a retry")
	}
	if err := o.guess(file, info.Size(), progress); err != nil {
		return nil, err
	}
	if !isConversations(o.Format) {
		return send(ctx, api, file, info.Size(), o, progress)
	}
	lines, conversations, err := convert(ctx, file, info.Size(), &o, progress)
	if err != nil {
		return nil, err
	}
	defer removeTemp(lines)
	size, err := lines.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	o.Format, o.converted = "kith", true
	report, err := send(ctx, api, lines, size, o, progress)
	if err == nil {
		conversations.addTo(report)
	}
	return report, err
}

// guess detects the format if none is given.
func (o *Options) guess(file io.ReaderAt, size int64, progress *terminal.Progress) (err error) {
	if o.Format != "auto" {
		return nil
	}
	if o.Format, err = guessFormat(file, size); err != nil {
		return err
	}
	switch o.Format {
	case "kith":
	case conversationsFormat:
		return errors.New("the file looks like conversations: import it with kith import conversations FILE, or set --format")
	default:
		progress.Line("detected format " + o.Format + "; --format overrides it")
	}
	return nil
}

// send sends a file of a format that the service reads.
func send(ctx context.Context, api *client.Client, file io.ReaderAt, size int64, o Options, progress *terminal.Progress) (*Report, error) {
	query := o.query()
	id, lines, err := importID(io.NewSectionReader(file, 0, size), query)
	if err != nil {
		return nil, err
	}
	query.Set("import_id", id)
	u := &upload{
		api: api, path: "/v1/import?" + query.Encode(), file: file, size: size, progress: progress,
	}
	if !o.DryRun {
		u.monitor = newStoredMonitor(api, id, &o, progress, lines)
	}
	report, err := u.send(ctx)
	if err != nil && ctx.Err() != nil {
		err = u.monitor.interruptedError(ctx)
	}
	return report, err
}

func (o *Options) query() url.Values {
	query := url.Values{"format": {o.Format}, "dry_run": {strconv.FormatBool(o.DryRun)}}
	if o.User != "" {
		query.Set("user_id", o.User)
	}
	if o.Owner != "" {
		query.Set("owner", o.Owner)
	}
	if o.Strict {
		query.Set("strict", "true")
	}
	return query
}

// importID returns a hash of the content and the parameters, and the number of lines. The service resumes an interrupted
// import with the same id. As the hash includes the parameters, a dry run has another id.
func importID(content io.Reader, query url.Values) (id string, lines int, err error) {
	hash, counted := sha256.New(), &jsonline.Counter{}
	_, _ = io.WriteString(hash, query.Encode()+"\n")
	if _, err := io.Copy(io.MultiWriter(hash, counted), content); err != nil {
		return "", 0, err
	}
	return hex.EncodeToString(hash.Sum(nil)), counted.Lines(), nil
}
