package preprocess

import (
	"sync"
	"testing"
)

// Several goroutines may detect languages at the same time.
func TestDetectLanguageOnSeveralGoroutines(t *testing.T) {
	t.Parallel()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if got, err := DetectLanguage([]byte("the boat is at the end of the river and we are on it")); got != "en" || err != nil {
				t.Errorf("%s, %v", got, err)
			}
		})
	}
	wg.Wait()
}
