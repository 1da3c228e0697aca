package testkit

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
)

// A Fraction is a similarity as its digits say it: .55 is 11/20, which no float64 is. By exact arithmetic it says
// what each bound of sizes and of shared features must be, whatever the sizes. It is the one reference for tests of
// such bounds.
type Fraction struct{ *big.Rat }

// Fractions are the similarities of two digits from .01 to 1, and some that have more digits or none that end. At the
// ordinary level they are some of them, among which are those at which quotients are rounded to the wrong side.
func Fractions() (all []Fraction) {
	for i := int64(1); i <= 100; i++ {
		if IsLong() || i%9 == 0 || strings.Contains(" 50 54 55 56 67 68 80 81 100 ", fmt.Sprintf(" %d ", i)) {
			all = append(all, Fraction{big.NewRat(i, 100)})
		}
	}
	for _, of := range [][2]int64{{1, 3}, {2, 3}, {5, 7}, {1, 1000}, {999, 1000}, {12345, 100000}, {1, 16}, {15, 16}} {
		all = append(all, Fraction{big.NewRat(of[0], of[1])})
	}
	return all
}

// Float is the float64 next to f, as it is read from its digits.
func (f Fraction) Float() float64 {
	x, _ := f.Float64()
	return x
}

// AtMost reports whether f is a/b at most. b is positive.
func (f Fraction) AtMost(a, b int) bool { return f.Cmp(big.NewRat(int64(a), int64(b))) <= 0 }

// Similar reports whether sets of a and b features, of which they share the given number, have a Jaccard similarity
// of at least f.
func (f Fraction) Similar(shared, a, b int) bool { return f.AtMost(shared, a+b-shared) }

// floor returns the largest whole number that is not above n·x.
func floor(n int, x *big.Rat) int {
	product := new(big.Rat).Mul(x, big.NewRat(int64(n), 1))
	return int(new(big.Int).Div(product.Num(), product.Denom()).Int64()) // Div rounds down
}

// ceil returns the smallest whole number that is not below n·x.
func ceil(n int, x *big.Rat) int { return -floor(-n, x) }

// plus returns 1 + n·f.
func (f Fraction) plus(n int64) *big.Rat {
	x := new(big.Rat).Mul(big.NewRat(n, 1), f.Rat)
	return x.Add(x, big.NewRat(1, 1))
}

// quotient returns x/y.
func quotient(x, y *big.Rat) *big.Rat { return new(big.Rat).Quo(x, y) }

// LeastShared returns how many features similar sets share at least that have so many together, each counted once for
// each set.
func (f Fraction) LeastShared(together int) int {
	return ceil(together, quotient(f.Rat, f.plus(1)))
}

// LeastSize returns the least size of a set that is similar to one of n features.
func (f Fraction) LeastSize(n int) int { return ceil(n, f.Rat) }

// MostSize returns the largest size of a set that is similar to one of n features.
func (f Fraction) MostSize(n int) int { return floor(n, new(big.Rat).Inv(f.Rat)) }

// MostSharing returns the largest size of a set that is similar to one of n features and shares so many of them at
// most. It is less than 1 if there is none.
func (f Fraction) MostSharing(n, shared int) int {
	return floor(shared, quotient(f.plus(1), f.Rat)) - n
}

// MostUnshared returns how many features belong to one alone of two similar sets at most that have so many together,
// or one more.
func (f Fraction) MostUnshared(together int) int {
	return floor(together, quotient(f.plus(-1), f.plus(1)))
}

// Sizes returns sizes of sets for which bounds are tested: small ones, those around powers of two, among them 2¹⁴ and
// 2¹⁶, and some up to 100,000.
func Sizes(rng *rand.Rand) (sizes []int) {
	for n := 1; n <= 300; n += 1 + n/Of(60, 300) {
		sizes = append(sizes, n)
	}
	for bits := 9; bits <= 17; bits++ {
		sizes = append(sizes, 1<<bits-1, 1<<bits, 1<<bits+1)
	}
	for range Of(30, 100) {
		sizes = append(sizes, 1+rng.IntN(100_000))
	}
	return append(sizes, 99_999, 100_000)
}
