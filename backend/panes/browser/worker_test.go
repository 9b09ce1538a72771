package browser

import "testing"

// TestWorkers_AreNotLeftPaused: no worker of a page, or of a worker, stays paused.
func TestWorkers_AreNotLeftPaused(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "about:blank")
	b.ok(p.Navigation.Navigate(b.ctx, b.site+"/"))
	const inner = `postMessage("inner")`
	got := b.eval(p, "new Promise((said) => { const inner = URL.createObjectURL(new Blob([`"+inner+"`]));"+
		"new Worker(URL.createObjectURL(new Blob([`new Worker('${inner}').onmessage = (e) => postMessage(e.data + ' and "+
		"outer')`]))).onmessage = (e) => said(e.data); })")
	if got != `"inner and outer"` {
		t.Errorf("the workers said %s", got)
	}
}
