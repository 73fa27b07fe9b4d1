// A draft in the visitor's own browser: it may hold an address to write to, which the server need not have before it is
// handed in. Text alone goes both ways.

const KEY = "featherboard.submission"

export default function ({ data, setTriggerValue }) {
  if (data.ask) {
    let told = ""
    let able = true
    try {
      told = localStorage.getItem(KEY) ?? ""
    } catch {
      able = false // a browser that keeps nothing for this site
    }
    setTriggerValue("draft", { told, able })
    return
  }
  try {
    if (data.keep) localStorage.setItem(KEY, data.keep)
    else localStorage.removeItem(KEY)
  } catch {
    // Told when it was asked for.
  }
}
