package browser

import "testing"

// TestWorkersRun: no worker of a page, or of a worker, stays paused.
func TestWorkersRun(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "about:blank")
	b.ok(p.Navigate(b.ctx, b.site+"/"))
	const inner = `postMessage("inner")`
	got := b.eval(p, "new Promise((said) => { const inner = URL.createObjectURL(new Blob([`"+inner+"`]));"+
		"new Worker(URL.createObjectURL(new Blob([`new Worker('${inner}').onmessage = (e) => postMessage(e.data + ' and "+
		"outer')`]))).onmessage = (e) => said(e.data); })")
	if got != `"inner and outer"` {
		t.Errorf("the workers said %s", got)
	}
}
