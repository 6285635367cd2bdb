using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Devices;

/// <summary>A disk that does not answer, for real: the block device gives out a byte a second.</summary>
public sealed class HeldReadsTests(HeldReadsTests.HeldReads fault) : DiskFaultTests<HeldReadsTests.HeldReads>(fault), IClassFixture<HeldReadsTests.HeldReads>
{
    public sealed class HeldReads : DiskFault
    {
        private LoopDisk? _disk;

        public override void Dispose() => _disk?.Dispose();

        protected override string Prepare() => (_disk = new LoopDisk("xfs")).Path;

        protected override void Break() => _disk!.HoldReads();

        protected override bool TryMend()
        {
            _disk!.AllowReads();
            return true;
        }

        /// <summary>The page cache would answer.</summary>
        protected override void Change(FasterCacheOptions options) => options.DiskIo = DiskIo.Direct;
    }
}
