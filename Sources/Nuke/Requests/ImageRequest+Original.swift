extension ImageRequest {
    /// True if the image is not the original one.
    var isChanged: Bool { !processors.isEmpty || thumbnail != nil }

    var original: ImageRequest {
        guard isChanged else { return self }
        var request = self
        request.processors = []
        request.thumbnail = nil
        return request
    }
}
