// Runs before the first paint: theme and language of the last visit, so that nothing flashes.
(function () {
  var root = document.documentElement
  var read = function (key) {
    try { return localStorage.getItem(key) } catch (_) { return null }
  }
  var theme = read('heteroopt.theme')
  var dark = theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  root.dataset.theme = dark ? 'dark' : 'light'
  var lang = read('heteroopt.lang') || ((navigator.languages || [navigator.language])[0] || 'en')
  root.lang = /^zh/i.test(lang) ? 'zh-CN' : 'en'
})()
