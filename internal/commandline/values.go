package commandline

import (
	"encoding"
	"fmt"
	"math"
	"strconv"
)

// Bare reads a value whose type knows how, for Flag.By. The error does not name the flag.
func Bare[T any, P interface {
	*T
	encoding.TextUnmarshaler
}](_, text string) (value T, err error) {
	err = P(&value).UnmarshalText([]byte(text))
	return value, err
}

// Named returns a function for Flag.By that reads values by parse. Its errors name the flag.
func Named[T any](parse func(string) (T, error)) func(name, text string) (T, error) {
	return func(name, text string) (T, error) {
		value, err := parse(text)
		if err != nil {
			err = fmt.Errorf("--%s: %w", name, err)
		}
		return value, err
	}
}

// Number returns a function for Flag.By that reads numbers for which ok is true. wanted tells the user which these are.
func Number(wanted string, ok func(float64) bool) func(name, text string) (float64, error) {
	return func(name, text string) (float64, error) {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || !ok(x) {
			return 0, fmt.Errorf("--%s %s: want %s", name, text, wanted)
		}
		return x, nil
	}
}

// Share reads a number in (0, 1], for Flag.By.
func Share(name, text string) (float64, error) {
	return Number("a number more than 0 and at most 1", func(x float64) bool { return x > 0 && x <= 1 })(name, text)
}

// Count returns a function for Flag.By that reads a number of things, 1 or more.
func Count(things string) func(name, text string) (int, error) {
	return Whole("a whole number of "+things+", 1 or more", 1, math.MaxInt)
}

// Whole returns a function for Flag.By that reads whole numbers from least to most. wanted tells the user which these are.
func Whole(wanted string, least, most int) func(name, text string) (int, error) {
	return func(name, text string) (int, error) {
		n, err := strconv.Atoi(text)
		if err != nil || n < least || n > most {
			return 0, fmt.Errorf("--%s %s: want %s", name, text, wanted)
		}
		return n, nil
	}
}

// AtLeast returns a function for Flag.By that reads integers of least or more. wanted tells the user which these are. What is
// no integer is an error as for other flags.
func AtLeast(least int, wanted string) func(name, text string) (int, error) {
	return func(name, text string) (int, error) {
		n, err := strconv.ParseInt(text, 0, strconv.IntSize)
		if err == nil && n < int64(least) {
			err = fmt.Errorf("--%s %d: want %s", name, n, wanted)
		}
		return int(n), err
	}
}

// OneOf returns a function for Flag.By that reads one of some words.
func OneOf(wanted string, words ...string) func(name, text string) (string, error) {
	return func(name, text string) (string, error) {
		for _, word := range words {
			if text == word {
				return text, nil
			}
		}
		return "", fmt.Errorf("--%s %s: want %s", name, text, wanted)
	}
}
