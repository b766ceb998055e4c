package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"
	"unicode"
)

type count struct {
	word string
	n    int
}

func countWords(r io.Reader) (map[string]int, error) {
	counts := make(map[string]int)
	scanner := bufio.NewScanner(r)
	scanner.Split(bufio.ScanWords)
	for scanner.Scan() {
		word := clean(scanner.Text())
		if word != "" {
			counts[word]++
		}
	}
	return counts, scanner.Err()
}

func clean(word string) string {
	trimmed := strings.TrimFunc(word, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	return strings.ToLower(trimmed)
}

func mostCommon(counts map[string]int, limit int) []count {
	list := make([]count, 0, len(counts))
	for word, n := range counts {
		list = append(list, count{word, n})
	}
	sort.Slice(list, func(i, j int) bool {
		if list[i].n != list[j].n {
			return list[i].n > list[j].n
		}
		return list[i].word < list[j].word
	})
	if len(list) > limit {
		list = list[:limit]
	}
	return list
}

func main() {
	limit := flag.Int("n", 10, "number of words to print")
	flag.Parse()
	total := make(map[string]int)
	for _, name := range flag.Args() {
		file, err := os.Open(name)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		counts, err := countWords(file)
		file.Close()
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
			os.Exit(1)
		}
		for word, n := range counts {
			total[word] += n
		}
	}
	for _, c := range mostCommon(total, *limit) {
		fmt.Printf("%6d %s\n", c.n, c.word)
	}
}
