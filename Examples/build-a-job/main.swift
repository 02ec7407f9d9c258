// Makes thumbnails of images by URL or path, and continues where it was interrupted: build-a-job URL…

// sample
import NukeBatch

var loading = LoadingSettings()
loading.rate = Rate(count: 20, seconds: 1)
let small = ManifestOutput(
    processors: [.resize(Resize(width: 320))],
    format: .encoded(.webp()),
    path: "{stem}.{ext}"
)
let manifest = try Manifest(
    sources: [.urls(Array(CommandLine.arguments.dropFirst()))],
    outputs: [small],
    destination: "thumbnails",
    state: "thumbnails.sqlite",
    loading: loading
)
let report = try await BatchRunner(manifest: manifest).run()
print("\(report.made) made, \(report.failed) failed, \(report.left) left")
// end
