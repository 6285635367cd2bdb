using HybridCaching.Devices;
using HybridCaching.Tests.Support;
using static HybridCaching.Tests.Devices.DeviceUnderTest;

namespace HybridCaching.Tests.Devices;

public sealed class LogDeviceThreadingTests
{
    [Fact]
    public void Dispose_QueuedWrites_AreFinished()
    {
        using var test = new DeviceUnderTest(threads: 1);
        using var gate = new ManualResetEventSlim();
        byte[] bytes = Pattern(SegmentBlocks, seed: 1);
        using var memory = new AlignedBuffer(bytes.Length);
        bytes.CopyTo(memory.Bytes);
        test.Device.Fault = _ =>
        {
            gate.Wait();
            return false;
        };
        int done = 0;
        for (int block = 0; block < SegmentBlocks; block++)
            test.Device.WriteAsync(memory.Address + (block * Block), 0, (ulong)(block * Block), Block, (_, _, _) => Interlocked.Increment(ref done), new object());
        Assert.Equal(0, Volatile.Read(ref done));

        var disposing = new Thread(test.Device.Dispose);
        disposing.Start();
        gate.Set();

        Assert.True(disposing.Join(Until.Deadline));
        Assert.Equal(SegmentBlocks, Volatile.Read(ref done));
        Assert.Equal(bytes, File.ReadAllBytes(test.PathOf(0)));
    }

    /// <summary>Writers wait for the mover, who waits for what he writes; and nobody waits for a file to be deleted.</summary>
    [Fact]
    public void Requests_WaitForAThread_AreTakenByUrgency()
    {
        using var test = new DeviceUnderTest();
        using var first = new ManualResetEventSlim();
        using var second = new ManualResetEventSlim();
        var taken = new List<(IoKind Kind, int Segment)>();
        int held = 0;
        test.Device.Fault = request =>
        {
            if (request.Segment > 1)
            {
                lock (taken) taken.Add((request.Kind, request.Segment));
                return true;
            }

            Interlocked.Increment(ref held);
            (request.Segment == 0 ? first : second).Wait();
            return false;
        };
        using var memory = new AlignedBuffer(Block);
        Write(0);
        Write(1);
        Until.True(() => Volatile.Read(ref held) == 2, "both threads are busy");

        test.Device.RemoveSegmentAsync(2, static _ => { }, null!);
        Write(3);
        Write(4);
        Write(SegmentFiles.FirstOfMain);
        second.Set();
        Until.True(() => taken.Count == 4, "all were taken");
        first.Set();

        Assert.Equal([(IoKind.Write, SegmentFiles.FirstOfMain), (IoKind.Write, 3), (IoKind.Write, 4), (IoKind.Remove, 2)], taken);

        void Write(int segment) => test.Device.WriteAsync(memory.Address, segment, 0, Block, static (_, _, _) => { }, new object());
    }

    [Fact]
    public void Dispose_Twice_Ends()
    {
        using var test = new DeviceUnderTest();

        test.Device.Dispose();
        test.Device.Dispose();
    }

    [Fact]
    public void Write_AfterDispose_StillCallsBack()
    {
        using var test = new DeviceUnderTest();
        test.Device.Dispose();

        Assert.Equal(0u, test.Write(0, 0, Pattern(1, seed: 1)).Error);
    }

    [Fact]
    public void Read_AfterDispose_IsZeros()
    {
        using var test = new DeviceUnderTest();
        test.Write(0, 0, Pattern(1, seed: 1));
        test.Device.Dispose();

        Assert.False(test.Read(0, 0, 1).AsSpan().ContainsAnyExcept((byte)0));
    }

    [Fact]
    public void Calls_FromManyThreads_GetOneCallbackEach()
    {
        const int Threads = 16;
        const int CallsPerThread = 300;
        using var test = new DeviceUnderTest(maximumSegments: 3, threads: 4);
        int calls = 0;
        test.Device.Fault = _ => Interlocked.Increment(ref calls) % 7 == 0;
        int[] callbacks = new int[Threads * CallsPerThread];
        using var memory = new AlignedBuffer(Threads * Block);
        nint address = memory.Address;

        RunThreads(Threads, thread =>
        {
            for (int i = 0; i < CallsPerThread; i++)
            {
                int call = (thread * CallsPerThread) + i;
                using var done = new ManualResetEventSlim();
                void Done(uint error, uint length, object context)
                {
                    Interlocked.Increment(ref callbacks[call]);
                    done.Set();
                }

                int segment = i % 5;
                if (i % 50 == 49) test.Device.RemoveSegmentAsync(segment, _ => Done(0, 0, done), null!);
                else if (i % 2 == 0) test.Device.WriteAsync(address + (thread * Block), segment, (ulong)(thread % SegmentBlocks * Block), Block, Done, done);
                else test.Device.ReadAsync(segment, (ulong)(thread % SegmentBlocks * Block), address + (thread * Block), Block, Done, done);
                Assert.True(done.Wait(Until.Deadline), $"call {call}");
            }
        });
        test.Device.Dispose();

        Assert.All(callbacks, count => Assert.Equal(1, count));
    }

    [Fact]
    public void Files_WritersAndRemoversAtOnce_AreNeverMoreThanTheMaximum()
    {
        const int Maximum = 4;
        const int Segments = 200;
        using var test = new DeviceUnderTest(maximumSegments: Maximum, threads: 4);
        byte[] bytes = Pattern(1, seed: 1);
        int most = 0;

        RunThreads(3, thread =>
        {
            for (int segment = 0; segment < Segments; segment++)
            {
                test.Write(segment, thread, bytes);
                if (thread == 0) test.Device.RemoveSegmentsBefore(segment - 2);
                if (thread == 2) most = Math.Max(most, test.Files.Count());
            }
        });

        Assert.InRange(most, 1, Maximum);
    }

    /// <summary>A writer that has just written when its segment is removed must not bring the segment back to the books.</summary>
    [Fact]
    public void DiskBytes_WritersAndRemoversAtOnce_IsWhatTheFilesTake()
    {
        using var test = new DeviceUnderTest(maximumSegments: 1000, threads: 4);
        byte[] bytes = Pattern(1, seed: 1);

        RunThreads(4, thread =>
        {
            for (int segment = 0; segment < 500; segment++)
            {
                if (thread < 3) test.Write(segment, thread, bytes);
                else test.Remove(segment);
            }
        });
        test.Device.RemoveSegmentsBefore(1000);
        test.Remove(1001);

        Until.True(() => !test.Files.Any(), "all files are gone");
        Assert.Equal(0, test.Device.DiskBytes);
    }

    private static void RunThreads(int count, Action<int> work)
    {
        Exception? failure = null;
        var threads = Enumerable.Range(0, count).Select(i => new Thread(() =>
        {
            try
            {
                work(i);
            }
            catch (Exception e)
            {
                failure = e;
            }
        })).ToList();
        threads.ForEach(t => t.Start());
        threads.ForEach(t => t.Join());
        if (failure is not null) throw failure;
    }
}
