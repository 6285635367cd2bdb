namespace DirectoryDigest;

/// <summary>A uniform random sample of the warm chunks one worker met (reservoir sampling). For one worker at a time.</summary>
internal sealed class WarmSample(int capacity)
{
    private readonly List<WarmChunk> _chunks = [];
    private readonly Random _random = new();
    private long _met;

    public IReadOnlyList<WarmChunk> Chunks => _chunks;

    public void Offer(DigestFile file, long index, in ChunkDigest digest)
    {
        _met++;
        if (_chunks.Count < capacity)
        {
            _chunks.Add(new WarmChunk(file, index, digest));
            return;
        }

        long slot = _random.NextInt64(_met);
        if (slot < capacity) _chunks[(int)slot] = new WarmChunk(file, index, digest);
    }
}
