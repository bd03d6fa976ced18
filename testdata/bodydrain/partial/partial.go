// Package partial proves that a reader which stops before the end leaves the
// connection lost, however much it read.
package partial

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"io"
	"iter"
	"log"
	"net/http"
	"strings"

	"golang.org/x/net/html"
)

const (
	snippet = 100
	most    = 1 << 20
)

var errAbsent = errors.New("absent")

// SnippetLosesTheConnection reads the beginning of an error's text.
func SnippetLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	if resp.StatusCode != http.StatusOK {
		msg, _ := io.ReadAll(io.LimitReader(resp.Body, 64))
		return fmt.Errorf("%s: %s", resp.Status, bytes.TrimSpace(msg))
	}
	_, err = io.ReadAll(resp.Body)
	return err
}

func SnippetAndDrainKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		msg, _ := io.ReadAll(io.LimitReader(resp.Body, snippet))
		_, _ = io.Copy(io.Discard, resp.Body)
		return fmt.Errorf("%s: %s", resp.Status, msg)
	}
	_, err = io.ReadAll(resp.Body)
	return err
}

// LimitedReaderLosesTheConnection is the literal of the same reader.
func LimitedReaderLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	_, err = io.ReadAll(&io.LimitedReader{R: resp.Body, N: snippet})
	return err
}

// LimitInAVariableLosesTheConnection keeps the limited reader for later.
func LimitInAVariableLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	head := io.LimitReader(resp.Body, 16<<10)
	var page strings.Builder
	_, err = io.Copy(&page, head)
	return err
}

// GuardLimitKeepsIt limits what it holds in memory; it means to read all.
func GuardLimitKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.ReadAll(io.LimitReader(resp.Body, most))
	return err
}

// CallersLimitKeepsIt leaves the limit to the caller.
func CallersLimitKeepsIt(c *http.Client, url string, limit int64) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err == nil && int64(len(raw)) > limit {
		return errors.New("too large")
	}
	return err
}

// CopyNToABufferLosesTheConnection copies a part to keep.
func CopyNToABufferLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	var magic bytes.Buffer
	if _, err := io.CopyN(&magic, resp.Body, 8); err != nil {
		return err
	}
	if magic.String() == "\x89PNG\r\n\x1a\n" {
		return nil
	}
	return errAbsent
}

// SniffLosesTheConnection reads 512 bytes to guess the type.
func SniffLosesTheConnection(c *http.Client, url string) (string, error) {
	resp, err := c.Get(url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	head := make([]byte, 512)
	n, err := io.ReadFull(resp.Body, head)
	if err != nil && err != io.ErrUnexpectedEOF {
		return "", err
	}
	return http.DetectContentType(head[:n]), nil
}

func SniffAndReadOnKeepsIt(c *http.Client, url string) (string, error) {
	resp, err := c.Get(url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	head := make([]byte, 512)
	n, _ := io.ReadFull(resp.Body, head)
	rest, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", err
	}
	_ = append(head[:n], rest...)
	return http.DetectContentType(head[:n]), nil
}

// ReadAtLeastLosesTheConnection wants the first bytes.
func ReadAtLeastLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	buf := make([]byte, 32)
	_, err = io.ReadAtLeast(resp.Body, buf, 4)
	return err
}

// OneReadLosesTheConnection takes one Read for all of it.
func OneReadLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	buf := make([]byte, 1024)
	n, err := resp.Body.Read(buf)
	if err != nil && err != io.EOF {
		return err
	}
	log.SetPrefix(string(buf[:min(n, 0)]))
	return nil
}

// PeekLosesTheConnection looks at what comes.
func PeekLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	br := bufio.NewReader(resp.Body)
	first, err := br.Peek(1)
	if err != nil {
		return err
	}
	if first[0] == '<' {
		return errors.New("an HTML page")
	}
	_, err = io.ReadAll(br)
	return err
}

// FirstLineLosesTheConnection wants one line.
func FirstLineLosesTheConnection(c *http.Client, url string) (string, error) {
	resp, err := c.Get(url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	return bufio.NewReader(resp.Body).ReadString('\n')
}

// OneScanLosesTheConnection scans one line.
func OneScanLosesTheConnection(c *http.Client, url string) (string, error) {
	resp, err := c.Get(url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	sc := bufio.NewScanner(resp.Body)
	if !sc.Scan() {
		return "", sc.Err()
	}
	return sc.Text(), nil
}

// ScanUntilFoundLosesTheConnection returns from the loop with what it looked for.
func ScanUntilFoundLosesTheConnection(c *http.Client, url string) (string, error) {
	resp, err := c.Get(url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	sc := bufio.NewScanner(resp.Body)
	for sc.Scan() {
		if key, value, ok := strings.Cut(sc.Text(), " = "); ok && key == "key1" {
			return value, nil
		}
	}
	if err := sc.Err(); err != nil {
		return "", err
	}
	return "", errAbsent
}

// ScanWithBreakLosesTheConnection leaves the loop by break.
func ScanWithBreakLosesTheConnection(c *http.Client, url string) (found bool, err error) {
	resp, err := c.Get(url)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	sc := bufio.NewScanner(resp.Body)
	sc.Buffer(make([]byte, 0, 4096), most)
	for sc.Scan() {
		if bytes.HasPrefix(sc.Bytes(), []byte("key1 ")) {
			found = true
			break
		}
	}
	return found, sc.Err()
}

// ScanSomeLosesTheConnection counts lines in the loop's condition.
func ScanSomeLosesTheConnection(c *http.Client, url string) (head []string, err error) {
	resp, err := c.Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	sc := bufio.NewScanner(resp.Body)
	for len(head) < 10 && sc.Scan() {
		head = append(head, sc.Text())
	}
	return head, sc.Err()
}

// ScanOnAfterTheMatchKeepsIt remembers the match and goes on to the last line.
func ScanOnAfterTheMatchKeepsIt(c *http.Client, url string) (value string, err error) {
	resp, err := c.Get(url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	sc := bufio.NewScanner(resp.Body)
	for sc.Scan() {
		if k, v, ok := strings.Cut(sc.Text(), " = "); ok && k == "key1" {
			value = v
			continue
		}
	}
	return value, sc.Err()
}

// ScanUntilFoundAndDrainKeepsIt reads what the loop left.
func ScanUntilFoundAndDrainKeepsIt(c *http.Client, url string) (value string, err error) {
	resp, err := c.Get(url)
	if err != nil {
		return "", err
	}
	defer func() {
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}()
	for sc := bufio.NewScanner(resp.Body); sc.Scan(); {
		if k, v, ok := strings.Cut(sc.Text(), " = "); ok && k == "key1" {
			return v, nil
		}
	}
	return "", errAbsent
}

// ReadLoopThatStopsLosesTheConnection reads blocks until it has enough.
func ReadLoopThatStopsLosesTheConnection(c *http.Client, url string) (got []byte, err error) {
	resp, err := c.Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	buf := make([]byte, 512)
	for {
		n, err := resp.Body.Read(buf)
		got = append(got, buf[:n]...)
		if err == io.EOF {
			return got, nil
		}
		if err != nil {
			return nil, err
		}
		if len(got) > 4096 {
			return got, nil
		}
	}
}

// LinesUntilFoundLosesTheConnection reads lines until the one it wants.
func LinesUntilFoundLosesTheConnection(c *http.Client, url string) (string, error) {
	resp, err := c.Get(url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	br := bufio.NewReader(resp.Body)
	for {
		line, err := br.ReadString('\n')
		if err != nil {
			return "", err
		}
		if strings.HasPrefix(line, "key1 ") {
			return line, nil
		}
	}
}

// HeaderRowLosesTheConnection wants the names of the columns.
func HeaderRowLosesTheConnection(c *http.Client, url string) ([]string, error) {
	resp, err := c.Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	return csv.NewReader(resp.Body).Read()
}

// RowsUntilFoundLosesTheConnection reads records until the one it wants.
func RowsUntilFoundLosesTheConnection(c *http.Client, url string) ([]string, error) {
	resp, err := c.Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	rows := csv.NewReader(resp.Body)
	rows.ReuseRecord = true
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return nil, errAbsent
		}
		if err != nil {
			return nil, err
		}
		if row[0] == "1" {
			return row, nil
		}
	}
}

// FirstElementLosesTheConnection looks for one element of a feed.
func FirstElementLosesTheConnection(c *http.Client, url string) (title string, err error) {
	resp, err := c.Get(url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	dec := xml.NewDecoder(resp.Body)
	for {
		tok, err := dec.Token()
		if err != nil {
			return "", err
		}
		if el, ok := tok.(xml.StartElement); ok && el.Name.Local == "title" {
			return title, dec.DecodeElement(&title, &el)
		}
	}
}

// OpeningTokenLosesTheConnection looks whether an array comes.
func OpeningTokenLosesTheConnection(c *http.Client, url string) (bool, error) {
	resp, err := c.Get(url)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	tok, err := json.NewDecoder(resp.Body).Token()
	return tok == json.Delim('['), err
}

type item struct {
	ID    int    `json:"id"`
	Title string `json:"title"`
}

// TopLosesTheConnection takes the first elements of a long array.
func TopLosesTheConnection(c *http.Client, url string) (top []item, err error) {
	resp, err := c.Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	dec := json.NewDecoder(resp.Body)
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	for dec.More() && len(top) < 3 {
		var it item
		if err := dec.Decode(&it); err != nil {
			return nil, err
		}
		top = append(top, it)
	}
	return top, nil
}

// LinesOfJSONLosesTheConnection stops at the value it wants.
func LinesOfJSONLosesTheConnection(c *http.Client, url string) (*item, error) {
	resp, err := c.Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	for dec := json.NewDecoder(resp.Body); ; {
		var it item
		if err := dec.Decode(&it); err == io.EOF {
			return nil, errAbsent
		} else if err != nil {
			return nil, err
		}
		if it.ID == 2 {
			return &it, nil
		}
	}
}

// FixedHeaderLosesTheConnection decodes a header of a binary file.
func FixedHeaderLosesTheConnection(c *http.Client, url string) (n uint32, err error) {
	resp, err := c.Get(url)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	err = binary.Read(resp.Body, binary.BigEndian, &n)
	return n, err
}

// FscanLosesTheConnection scans one word.
func FscanLosesTheConnection(c *http.Client, url string) (word string, err error) {
	resp, err := c.Get(url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	_, err = fmt.Fscan(resp.Body, &word)
	return word, err
}

// GzipHeaderLosesTheConnection reads the header of a gzip file, by opening it.
func GzipHeaderLosesTheConnection(c *http.Client, url string) (name string, err error) {
	resp, err := c.Get(url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	z, err := gzip.NewReader(resp.Body)
	if err != nil {
		return "", err
	}
	defer z.Close()
	return z.Name, nil
}

// FirstFileLosesTheConnection takes one file out of an archive.
func FirstFileLosesTheConnection(c *http.Client, url string) ([]byte, error) {
	resp, err := c.Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	in := tar.NewReader(resp.Body)
	if _, err := in.Next(); err != nil {
		return nil, err
	}
	return io.ReadAll(in)
}

// BufferedSnippetLosesTheConnection thinks that a small drain of a larger body to a
// buffer is as good as one to io.Discard.
func BufferedSnippetLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	buf := new(bytes.Buffer)
	_, _ = io.Copy(buf, io.LimitReader(resp.Body, 4<<10))
	resp.Body.Close() // want "closed before it is read to its end"
	return nil
}

// IteratorLeftLosesTheConnection leaves a range over a function that reads.
func IteratorLeftLosesTheConnection(c *http.Client, url string) (bool, error) {
	resp, err := c.Get(url)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	found := false
	lines(resp.Body, func(line string) bool {
		found = strings.HasPrefix(line, "key1 ")
		return !found
	})
	return found, nil
}

func lines(r io.Reader, yield func(string) bool) {
	for sc := bufio.NewScanner(r); sc.Scan() && yield(sc.Text()); {
	}
}

// each ranges over the lines of r.
func each(r io.Reader) iter.Seq[string] {
	return func(yield func(string) bool) {
		for sc := bufio.NewScanner(r); sc.Scan(); {
			if !yield(sc.Text()) {
				return
			}
		}
	}
}

// RangeLeftLosesTheConnection leaves a range over an iterator.
func RangeLeftLosesTheConnection(c *http.Client, url string) (string, error) {
	resp, err := c.Get(url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	for line := range each(resp.Body) {
		if strings.HasPrefix(line, "key1 ") {
			return line, nil
		}
	}
	return "", io.EOF
}

// RangeBrokenLosesTheConnection leaves one by a break.
func RangeBrokenLosesTheConnection(c *http.Client, url string) (found string, err error) {
	resp, err := c.Get(url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	for line := range each(resp.Body) {
		if strings.HasPrefix(line, "key1 ") {
			found = line
			break
		}
	}
	return found, nil
}

// TitleLosesTheConnection has seen enough of a page when it has seen its title.
func TitleLosesTheConnection(c *http.Client, url string) (string, error) {
	resp, err := c.Get(url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	z := html.NewTokenizer(resp.Body)
	for {
		switch z.Next() {
		case html.ErrorToken:
			return "", z.Err()
		case html.StartTagToken:
			if name, _ := z.TagName(); string(name) == "title" {
				z.Next()
				return string(z.Text()), nil
			}
		}
	}
}

func TagsKeepsIt(c *http.Client, url string) (n int, err error) {
	resp, err := c.Get(url)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	z := html.NewTokenizer(resp.Body)
	for {
		tag := z.Next()
		if tag == html.ErrorToken {
			break
		}
		n++
	}
	if err := z.Err(); err != io.EOF {
		return n, err
	}
	return n, nil
}

// A name that only looks like that of a stream's reader does not make a stream:
// details have no tail, followers do not follow, and addresses are no SSE.

func FirstOfTheDetailsLosesTheConnection(c *http.Client, url string) (string, error) {
	resp, err := c.Get(url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	return bufio.NewReader(resp.Body).ReadString('\n')
}

func FirstOfTheFollowersLosesTheConnection(c *http.Client, url string) (string, error) {
	resp, err := c.Get(url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	return bufio.NewReader(resp.Body).ReadString('\n')
}

func FirstOfTheAddressesLosesTheConnection(c *http.Client, url string) (string, error) {
	resp, err := c.Get(url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	return bufio.NewReader(resp.Body).ReadString('\n')
}

func StopwatchLosesTheConnection(c *http.Client, url string) (string, error) {
	resp, err := c.Get(url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	return bufio.NewReader(resp.Body).ReadString('\n')
}

// ImageSizeLosesTheConnection reads an image's header.
func ImageSizeLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	cfg, _, err := image.DecodeConfig(bufio.NewReader(resp.Body))
	if err == nil && cfg.Width == 0 {
		err = errors.New("empty image")
	}
	return err
}

// TooMuchLosesTheConnection reads one byte more than it wants, and stops if it is
// there.
func TooMuchLosesTheConnection(c *http.Client, url string) ([]byte, error) {
	const most = 4096
	resp, err := c.Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	text, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	if len(text) > most {
		return nil, errors.New("too much")
	}
	return text, err
}
