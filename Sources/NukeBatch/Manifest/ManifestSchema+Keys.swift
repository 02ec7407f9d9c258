import Imaging

/// What may stand behind each key of each object.
extension ManifestSchema {
    /// The schemas of the values of an object, by its keys: a test holds them to those that are read.
    package static func properties(of section: ManifestSection) -> [String: CanonicalJSON] {
        switch section {
        case .manifest, .source, .entry, .columns, .output, .condition: parts(of: section)
        case .cache, .loading, .hostLoading, .authorization, .basic, .awsSigV4, .retry, .limits, .network,
            .dataset:
            settings(of: section)
        case .format, .jpeg, .png, .webp, .avif, .same: formats(of: section)
        default: steps(of: section)
        }
    }

    private static func parts(of section: ManifestSection) -> [String: CanonicalJSON] {
        switch section {
        case .manifest:
            [
                "$schema": string, "version": ["const": 1], "include": any(string, list(string)),
                "name": string,
                "sources": ["type": "array", "items": Self.section(.source), "minItems": 1],
                "processors": list(Self.section(.processor)), "outputs": list(Self.section(.output)),
                "facts": ["type": "array", "items": choice(Fact.self), "uniqueItems": true],
                "destination": ["type": "string", "minLength": 1], "cache": Self.section(.cache),
                "loading": Self.section(.loading), "retry": Self.section(.retry),
                "limits": Self.section(.limits), "network": Self.section(.network),
                "dataset": Self.section(.dataset),
            ]
        case .source:
            [
                "urls": list(any(string, Self.section(.entry))), "list": string,
                "files": ["type": "string", "minLength": 1], "template": string, "sitemap": string,
                "sqlite": string, "query": string, "as": choice(ItemList.Format.self),
                "columns": Self.section(.columns), "priority": choice(ItemPriority.self),
                "headers": headers, "vars": ["type": "object"],
                "processors": list(Self.section(.processor)),
            ]
        case .entry:
            [
                "url": string, "id": scalar, "priority": choice(ItemPriority.self), "headers": headers,
                "vars": variables,
            ]
        case .columns: ["url": string, "id": string, "priority": string]
        case .output:
            [
                "name": ["type": "string", "minLength": 1],
                "processors": list(Self.section(.processor)),
                "format": any(words(ManifestSection.format.keys), Self.section(.format)),
                "path": ["type": "string", "minLength": 1], "metadata": choice(MetadataPolicy.self),
                "existing": choice(Output.Existing.self), "when": Self.section(.condition),
                "background": opaqueColor,
            ]
        case .condition:
            [
                "minWidth": integer(0...1_000_000), "minHeight": integer(0...1_000_000),
                "maxAspect": number(1...1_000_000), "types": list(choice(ImageFormat.self)),
            ]
        default: [:]
        }
    }

    private static func settings(of section: ManifestSection) -> [String: CanonicalJSON] {
        switch section {
        case .cache:
            [
                "directory": string, "sizeLimit": size, "policy": choice(CacheSettings.Policy.self),
                "revalidate": choice(CacheSettings.Revalidation.self), "staleIfError": bool,
                "maxAge": duration, "compression": bool,
            ]
        case .loading:
            settings(of: .hostLoading).merging([
                "hosts": [
                    "type": "object", "propertyNames": ["pattern": "^[^/@ \\t]+$"],
                    "additionalProperties": Self.section(.hostLoading),
                ]
            ]) { $1 }
        case .hostLoading:
            [
                "concurrency": integer(1...1024), "perHost": integer(1...1024), "rate": rate,
                "burst": integer(1...1_000_000), "timeout": duration, "connectTimeout": duration,
                "totalTimeout": duration, "maxRedirects": integer(0...50), "maxBytes": size,
                "headers": headers, "userAgent": string, "auth": Self.section(.authorization),
                "method": choice(LoadingSettings.Method.self), "bandwidth": size,
            ]
        case .authorization:
            [
                "bearer": string, "basic": Self.section(.basic), "netrc": ["const": true],
                "awsSigV4": Self.section(.awsSigV4),
            ]
        case .basic: ["user": string, "password": string]
        case .awsSigV4:
            [
                "region": string, "service": string, "accessKey": string, "secretKey": string,
                "sessionToken": string,
            ]
        case .retry:
            ["attempts": integer(1...100), "backoff": durations, "statuses": list(integer(400...599))]
        case .limits:
            [
                "processing": integer(1...1024), "memory": size, "maxPixels": pixels,
                "maxDimension": side, "maxFrames": ["const": .integer(NotSupportedYet.maxFrames)],
                "maxDuration": duration,
            ]
        case .network:
            [
                "schemes": list(choice(NetworkSettings.Scheme.self)),
                "allow": list(pattern("[0-9A-Za-z._:-]+(/[0-9]{1,3})?")), "fileRoots": list(string),
                "proxy": string,
            ]
        case .dataset:
            [
                "pack": choice(DatasetSettings.Pack.self), "itemsPerFile": integer(1...1_000_000_000),
                "index": [
                    "type": "string",
                    "pattern": "^[^/\\u0000-\\u001F]([^\\u0000-\\u001F]*[^/])?\\.(jsonl|csv)$",
                    "not": ["pattern": "(^|/)\\.{0,2}(/|$)"],
                ],
                "honourOptOut": bool,
            ]
        default: [:]
        }
    }

    private static func formats(of section: ManifestSection) -> [String: CanonicalJSON] {
        switch section {
        case .format:
            [
                "jpeg": Self.section(.jpeg), "png": Self.section(.png), "webp": Self.section(.webp),
                "avif": Self.section(.avif), "same": Self.section(.same), "original": Self.section(.same),
            ]
        case .jpeg:
            [
                "quality": integer(1...100), "progressive": bool,
                "subsampling": choice(ChromaSubsampling.self),
            ]
        case .png: ["compression": integer(1...9), "palette": bool]
        case .webp: ["quality": integer(0...100), "lossless": bool, "effort": integer(0...6)]
        case .avif: ["quality": integer(0...100), "speed": integer(0...10)]
        default: [:]
        }
    }

    private static func steps(of section: ManifestSection) -> [String: CanonicalJSON] {
        let length = number(0...Double(LimitSettings.largestDimension))
        let gravity = any(words(Gravity.named.keys), Self.section(.gravity))
        switch section {
        case .processor: return processors
        case .resize:
            return [
                "width": side, "height": side, "contentMode": choice(Resize.ContentMode.self), "crop": bool,
                "upscale": bool, "filter": choice(ResampleFilter.self), "linear": bool,
            ]
        case .crop:
            let place = integer(0...LimitSettings.largestDimension)
            return [
                "width": side, "height": side,
                "gravity": any(words(Gravity.named.keys + [ManifestNode.smart]), Self.section(.gravity)),
                "rect": [
                    "type": "array", "prefixItems": [place, place, side, side], "minItems": 4, "maxItems": 4,
                ],
            ]
        case .gravity: return ["x": number(0...1), "y": number(0...1)]
        case .pad: return ["width": side, "height": side, "gravity": gravity, "background": color]
        case .circle: return ["border": Self.section(.border)]
        case .roundedCorners: return ["radius": length, "border": Self.section(.border)]
        case .border:
            return ["color": color, "width": number(0.1...Double(LimitSettings.largestDimension))]
        case .gaussianBlur: return ["radius": number(0...GaussianBlur.maxRadius)]
        case .sharpen:
            return ["sigma": number(0...100), "amount": number(0...10), "threshold": number(0...255)]
        case .rotate:
            return [
                "degrees": ["type": "integer", "multipleOf": 90, "minimum": -3600, "maximum": 3600],
                "flip": choice(Rotate.Flip.self),
            ]
        case .flatten: return ["background": opaqueColor]
        case .trim: return ["tolerance": integer(0...255)]
        case .adjust:
            return [
                "brightness": number(-1...1), "contrast": number(0...10), "saturation": number(0...10),
                "gamma": number(0.1...10),
            ]
        case .watermark:
            return [
                "image": string, "gravity": gravity, "scale": number(0.001...1), "opacity": number(0...1),
                "margin": integer(0...LimitSettings.largestDimension), "tile": bool,
            ]
        default: return [:]
        }
    }

    /// Each with its parameters; `true` stands for none where all of them can be left out.
    private static let processors: [String: CanonicalJSON] = [
        "resize": section(.resize), "crop": section(.crop), "pad": section(.pad),
        "circle": optional(.circle), "roundedCorners": section(.roundedCorners),
        "gaussianBlur": optional(.gaussianBlur), "sharpen": optional(.sharpen), "rotate": section(.rotate),
        "grayscale": optional(.grayscale), "flatten": optional(.flatten), "trim": optional(.trim),
        "adjust": section(.adjust), "watermark": section(.watermark),
    ]

    private static func optional(_ section: ManifestSection) -> CanonicalJSON {
        any(["const": true], Self.section(section))
    }
}
