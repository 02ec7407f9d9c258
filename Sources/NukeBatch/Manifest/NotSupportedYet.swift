/// What the manifest's contract names and this release refuses, all in one place.
///
/// Whoever builds a thing deletes its line here. Values of what is refused are not looked at.
enum NotSupportedYet {
    /// Keys, by the object that they are in.
    static func keys(of section: ManifestSection) -> Set<String> {
        []
    }

    /// Words where one of several may stand.
    static let formats = keys(of: .format)

    /// The only values so far.
    static let maxFrames = 1
    static let destinationPrefix = "s3://"

    /// The sentence of every refusal.
    static func sentence(_ what: String) -> String {
        "\(what) is not supported yet by this release: remove it, or change it"
    }
}

/// The objects of a manifest, each with the keys that it may have.
package enum ManifestSection: CaseIterable {
    case manifest, source, entry, columns, output, condition, format, jpeg, png, webp, avif, same
    case processor, resize, crop, gravity, pad, circle, roundedCorners, border, gaussianBlur, sharpen
    case rotate, grayscale, flatten, trim, adjust, watermark
    case cache, loading, hostLoading, authorization, basic, awsSigV4, retry, limits, network, dataset

    /// The keys that are read; those of `NotSupportedYet` are known beside them.
    package var keys: Set<String> {
        switch self {
        case .manifest:
            [
                "$schema", "version", "include", "name", "sources", "processors", "outputs", "facts",
                "destination",
                "cache", "loading", "retry", "limits", "network", "dataset",
            ]
        case .source:
            [
                "urls", "list", "files", "template", "sitemap", "sqlite", "as", "columns", "query",
                "priority", "headers", "vars", "processors",
            ]
        case .entry: ["url", "id", "priority", "headers", "vars"]
        case .columns: ["url", "id", "priority"]
        case .output:
            ["name", "processors", "format", "path", "metadata", "existing", "when", "background"]
        case .condition: ["minWidth", "minHeight", "maxAspect", "types"]
        case .format: ["jpeg", "png", "webp", "avif", "same", "original"]
        case .jpeg: ["quality", "progressive", "subsampling"]
        case .png: ["compression", "palette"]
        case .webp: ["quality", "lossless", "effort"]
        case .avif: ["quality", "speed"]
        case .same, .grayscale: []
        case .processor: Step.names
        case .resize: ["width", "height", "contentMode", "crop", "upscale", "filter", "linear"]
        case .crop: ["width", "height", "gravity", "rect"]
        case .gravity: ["x", "y"]
        case .pad: ["width", "height", "gravity", "background"]
        case .circle: ["border"]
        case .roundedCorners: ["radius", "border"]
        case .border: ["color", "width"]
        case .gaussianBlur: ["radius"]
        case .sharpen: ["sigma", "amount", "threshold"]
        case .rotate: ["degrees", "flip"]
        case .flatten: ["background"]
        case .trim: ["tolerance"]
        case .adjust: ["brightness", "contrast", "saturation", "gamma"]
        case .watermark: ["image", "gravity", "scale", "opacity", "margin", "tile"]
        case .cache:
            ["directory", "sizeLimit", "policy", "maxAge", "revalidate", "staleIfError", "compression"]
        case .loading: Self.hostLoading.keys.union(["hosts"])
        case .hostLoading:
            [
                "concurrency", "perHost", "rate", "burst", "timeout", "connectTimeout", "totalTimeout",
                "maxRedirects", "maxBytes", "headers", "userAgent", "auth", "method", "bandwidth",
            ]
        case .authorization: ["bearer", "basic", "netrc", "awsSigV4"]
        case .awsSigV4: ["region", "service", "accessKey", "secretKey", "sessionToken"]
        case .basic: ["user", "password"]
        case .retry: ["attempts", "backoff", "statuses"]
        case .limits:
            ["processing", "memory", "maxPixels", "maxDimension", "maxFrames", "maxDuration"]
        case .network: ["schemes", "allow", "fileRoots", "proxy"]
        case .dataset: ["pack", "itemsPerFile", "index", "honourOptOut"]
        }
    }
}
