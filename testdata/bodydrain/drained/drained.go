// Package drained proves that every way of reading a body to its end keeps the
// connection, through whatever the body is wrapped in.
package drained

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/ioutil"
	"iter"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"strings"
	"sync/atomic"
)

func ReadAllKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.ReadAll(resp.Body)
	return err
}

func OldReadAllKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = ioutil.ReadAll(resp.Body)
	return err
}

// UncheckedReadKeepsIt counts whether or not its error is looked at.
func UncheckedReadKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	body, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if len(body) == 0 {
		return errors.New("empty")
	}
	return nil
}

func CopyToAFileKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	f, err := os.CreateTemp("", "drained")
	if err != nil {
		io.Copy(io.Discard, resp.Body)
		return err
	}
	defer os.Remove(f.Name())
	if _, err := io.Copy(f, resp.Body); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

func CopyBufferKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	sum := sha256.New()
	_, err = io.CopyBuffer(sum, resp.Body, make([]byte, 1000))
	return err
}

func ReadFromKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var buf bytes.Buffer
	_, err = buf.ReadFrom(resp.Body)
	return err
}

func WriteToKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = bufio.NewReader(resp.Body).WriteTo(io.Discard)
	return err
}

func ScannerLoopKeepsIt(c *http.Client, url string) (n int, err error) {
	resp, err := c.Get(url)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	words := bufio.NewScanner(resp.Body)
	words.Split(bufio.ScanWords)
	for words.Scan() {
		n++
	}
	return n, words.Err()
}

func LineLoopKeepsIt(c *http.Client, url string) (n int, err error) {
	resp, err := c.Get(url)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	r := bufio.NewReader(resp.Body)
	for {
		_, err := r.ReadBytes('\n')
		if err == io.EOF {
			break
		}
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

func ReadLoopKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	sum := crc32.NewIEEE()
	buf := make([]byte, 8<<10)
	for {
		n, err := resp.Body.Read(buf)
		sum.Write(buf[:n])
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read: %w", err)
		}
	}
}

// ReadLoopOnErrorKeepsIt has the read in the loop's clauses.
func ReadLoopOnErrorKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	buf := make([]byte, 512)
	total := 0
	n, err := resp.Body.Read(buf)
	for ; err == nil; n, err = resp.Body.Read(buf) {
		total += n
	}
	if err != io.EOF {
		return err
	}
	return nil
}

func CSVReadAllKeepsIt(c *http.Client, url string) ([][]string, error) {
	resp, err := c.Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return csv.NewReader(resp.Body).ReadAll()
}

func CSVLoopKeepsIt(c *http.Client, url string) (n int, err error) {
	resp, err := c.Get(url)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	for r := csv.NewReader(resp.Body); ; n++ {
		_, err := r.Read()
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

func JSONLinesKeepsIt(c *http.Client, url string) (n int, err error) {
	resp, err := c.Get(url)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	dec := json.NewDecoder(resp.Body)
	for {
		var v map[string]any
		if err := dec.Decode(&v); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

func XMLTokensKeepsIt(c *http.Client, url string) (n int, err error) {
	resp, err := c.Get(url)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	dec := xml.NewDecoder(resp.Body)
	for {
		tok, err := dec.Token()
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		if _, ok := tok.(xml.StartElement); ok {
			n++
		}
	}
}

// DecodeAndDrainKeepsIt reads what the decoder may have left.
func DecodeAndDrainKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	defer io.Copy(io.Discard, resp.Body)
	var v map[string]any
	return json.NewDecoder(resp.Body).Decode(&v)
}

func UnmarshalKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	var v struct{ Name string }
	return json.Unmarshal(raw, &v)
}

// MultipartKeepsIt reads part after part. The end of the body need not be where the
// last part ends, but usually is.
func MultipartKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, params, err := mime.ParseMediaType("multipart/mixed; boundary=frontier")
	if err != nil {
		io.Copy(io.Discard, resp.Body)
		return err
	}
	for parts := multipart.NewReader(resp.Body, params["boundary"]); ; {
		part, err := parts.NextPart()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, part); err != nil {
			return err
		}
	}
}

func DumpResponseKeepsIt(c *http.Client, url string) ([]byte, error) {
	resp, err := c.Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return httputil.DumpResponse(resp, true)
}

// DumpHeadersLosesTheConnection dumps without the body.
func DumpHeadersLosesTheConnection(c *http.Client, url string) ([]byte, error) {
	resp, err := c.Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	return httputil.DumpResponse(resp, false)
}

func ResponseWriteKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return resp.Write(io.Discard)
}

func BoundedCopyNKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	_, _ = io.CopyN(io.Discard, resp.Body, 4<<10)
	return resp.Body.Close()
}

func BoundedLimitReaderKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer func() {
		const bound = 64 << 10
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, bound))
		_ = resp.Body.Close()
	}()
	return nil
}

// NotMoreThanTheLimitKeepsIt reads one byte more than it wants: without that one,
// the end was reached.
func NotMoreThanTheLimitKeepsIt(c *http.Client, url string) ([]byte, error) {
	const most = 4096
	resp, err := c.Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	if err != nil {
		return nil, err
	}
	if len(text) > most {
		_, err := io.Copy(io.Discard, resp.Body)
		return text[:most], err
	}
	return text, nil
}

// CountedCopyKeepsIt is the same of a copy.
func CountedCopyKeepsIt(c *http.Client, url string) error {
	const most = 4096
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var buf bytes.Buffer
	n, err := io.Copy(&buf, io.LimitReader(resp.Body, most))
	if n == most {
		_, err = io.Copy(io.Discard, resp.Body)
	}
	return err
}

// SnippetThenBoundedDrainKeepsIt limits the snippet and, apart from it, the drain.
func SnippetThenBoundedDrainKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	msg, _ := io.ReadAll(io.LimitReader(resp.Body, 50))
	_, _ = io.CopyN(io.Discard, resp.Body, 1<<16)
	return errors.New(string(msg))
}

func GzipKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	z, err := gzip.NewReader(resp.Body)
	if err != nil {
		return err
	}
	defer z.Close()
	_, err = io.Copy(io.Discard, z)
	return err
}

// ClosingGzipLosesTheConnection closes the reader, which reads nothing.
func ClosingGzipLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	z, err := gzip.NewReader(resp.Body)
	if err != nil {
		resp.Body.Close()
		return err
	}
	z.Close()
	return resp.Body.Close() // want "closed before it is read to its end"
}

// OptionalGzipKeepsIt unpacks where the header says so.
func OptionalGzipKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var in io.Reader = resp.Body
	switch resp.Header.Get("Content-Encoding") {
	case "gzip":
		z, err := gzip.NewReader(in)
		if err != nil {
			return err
		}
		defer z.Close()
		in = z
	case "deflate":
		z := flate.NewReader(in)
		defer z.Close()
		in = z
	}
	_, err = io.ReadAll(in)
	return err
}

func TeeReaderKeepsIt(c *http.Client, url string) (string, error) {
	resp, err := c.Get(url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	sum := sha256.New()
	if _, err := io.ReadAll(io.TeeReader(resp.Body, sum)); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

func MaxBytesReaderKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.ReadAll(http.MaxBytesReader(nil, resp.Body, 8<<20))
	return err
}

// ReplacedBodyKeepsIt puts the wrapper in the response.
func ReplacedBodyKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	resp.Body = http.MaxBytesReader(nil, resp.Body, 8<<20)
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

func MultiReaderKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.ReadAll(io.MultiReader(strings.NewReader("head\n"), resp.Body))
	return err
}

func Base64KeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.ReadAll(base64.NewDecoder(base64.StdEncoding, resp.Body))
	return err
}

// metered embeds a body and counts what is read.
type metered struct {
	io.ReadCloser
	n *atomic.Int64
}

func (m metered) Read(p []byte) (int, error) {
	n, err := m.ReadCloser.Read(p)
	m.n.Add(int64(n))
	return n, err
}

func EmbeddingTypeKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	body := metered{resp.Body, new(atomic.Int64)}
	defer body.Close()
	_, err = io.ReadAll(body)
	return err
}

// EmbeddingTypeLosesTheConnection closes the wrapper, and so the body.
func EmbeddingTypeLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	body := metered{resp.Body, new(atomic.Int64)}
	defer body.Close() // want "closed before it is read to its end"
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	_, err = io.ReadAll(body)
	return err
}

// progress wraps a reader in a field.
type progress struct {
	in   io.Reader
	done int64
}

func (p *progress) Read(b []byte) (int, error) {
	n, err := p.in.Read(b)
	p.done += int64(n)
	return n, err
}

func FieldWrapperKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, &progress{in: resp.Body})
	return err
}

func ProxyToAWriterKeepsIt(c *http.Client, url string) error {
	return proxy(c, url, httptest.NewRecorder())
}

func proxy(c *http.Client, url string, w http.ResponseWriter) error {
	resp, err := c.Get(url)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return err
	}
	defer resp.Body.Close()
	w.WriteHeader(resp.StatusCode)
	_, err = io.Copy(w, resp.Body)
	return err
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

func IteratorKeepsIt(c *http.Client, url string) (n int, err error) {
	resp, err := c.Get(url)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	for range each(resp.Body) {
		n++
	}
	return n, nil
}

// ReadInEitherArmKeepsIt reads in different ways.
func ReadInEitherArmKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var raw []byte
	if resp.ContentLength > 0 {
		raw = make([]byte, 0, resp.ContentLength)
	}
	buf := bytes.NewBuffer(raw)
	if resp.StatusCode != http.StatusOK {
		_, err = io.Copy(buf, resp.Body)
	} else {
		_, err = buf.ReadFrom(resp.Body)
	}
	return err
}

// ReadInTheConditionKeepsIt reads where the status is looked at.
func ReadInTheConditionKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode >= 300 {
		return fmt.Errorf("%s: %w", resp.Status, err)
	}
	return nil
}

// ReadBehindAnAndLosesTheConnection reads only if the first operand is true.
func ReadBehindAnAndLosesTheConnection(c *http.Client, url string) (ok bool) {
	resp, err := c.Get(url)
	if err != nil {
		return false
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	var b strings.Builder
	return resp.StatusCode == http.StatusOK && read(&b, resp.Body) && b.Len() > 0
}

func read(w io.Writer, r io.Reader) bool {
	_, err := io.Copy(w, r)
	return err == nil
}
